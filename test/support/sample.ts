/** Whether every generated case is tried (`npm run test:deep`), or a fixed sample of them (`npm test`, `npm run test:slow`). */
export const isDeep = process.env.DEEP_TESTS === "1";

/**
 * One of each `of` generated cases, beginning with the one at `from`; all of them in a deep run. The sample is the same in each
 * run. Where the cases combine two things, `from` moves with the first, so that the sample has each value of both.
 */
export const sampled = <T>(cases: readonly T[], of: number, from = 0): readonly T[] =>
  isDeep ? cases : cases.filter((_, n) => (n + from) % of === 0);

/** How often a property or a kill at an arbitrary moment is tried. */
export const times = (gate: number, deep: number): number => (isDeep ? deep : gate);
