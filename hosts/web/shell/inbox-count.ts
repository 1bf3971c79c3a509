import { useRead } from "../live/calls.ts";
import { useFinalWrites } from "../nouns/final-writes.tsx";

/**
 * How many decisions and failures wait for this person, over all companies and the instance, without what was decided and is
 * held back, or was taken after the count was read; and whether there is news.
 */
export const useInboxCount = (): { readonly waiting: number; readonly hasNews: boolean } => {
  const { data = [], dataUpdatedAt } = useRead("inbox.counts", {});
  const { waiting } = useFinalWrites();
  const decided = [...waiting.values()].filter(({ takenAt }) => takenAt === null || dataUpdatedAt < takenAt);
  return {
    waiting: Math.max(0, data.reduce((sum, { waiting, news }) => sum + waiting - news, 0) - decided.length),
    hasNews: data.some(({ news }) => news > 0),
  };
};
