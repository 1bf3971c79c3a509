import type { Instant } from "../shared/instant.ts";

/** How often something of an issue has woken its agent since a person acted, and since when it waits for a person. */
export interface CountedWakes {
  readonly wakes: number;
  readonly handedOverAt: Instant | null;
}

/**
 * Counts one more report to the agent of an issue. Beyond the most that may wake it a person has to look; that person's act
 * begins the count anew.
 */
export const countWake = (
  before: CountedWakes,
  { hasPersonActed, most, at }: { hasPersonActed: boolean; most: number; at: Instant },
): CountedWakes & { readonly wakesAgent: boolean } => {
  const wakes = hasPersonActed ? 0 : before.wakes;
  return wakes < most
    ? { wakesAgent: true, wakes: wakes + 1, handedOverAt: null }
    : { wakesAgent: false, wakes, handedOverAt: hasPersonActed ? at : (before.handedOverAt ?? at) };
};
