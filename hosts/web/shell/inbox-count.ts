import { useRead } from "../live/calls.ts";

/** How much waits for this person, over all companies and the instance. */
export const useInboxCount = (): number =>
  (useRead("inbox.counts", {}).data ?? []).reduce((sum, { waiting }) => sum + waiting, 0);
