import { useRead } from "../live/calls.ts";
import { useFinalWrites } from "../nouns/final-writes.tsx";

/**
 * How much waits for this person, over all companies and the instance, without what was decided and is held back, or was taken
 * after the count was read.
 */
export const useInboxCount = (): number => {
  const { data = [], dataUpdatedAt } = useRead("inbox.counts", {});
  const { waiting } = useFinalWrites();
  const decided = [...waiting.values()].filter(({ takenAt }) => takenAt === null || dataUpdatedAt < takenAt);
  return Math.max(0, data.reduce((sum, { waiting }) => sum + waiting, 0) - decided.length);
};
