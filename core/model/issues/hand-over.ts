import type { Instant } from "../shared/instant.ts";

/** How often something about an issue has woken its agent since a person last acted, and when it began to wait for a person. */
export interface CountedWakes {
  readonly wakes: number;
  readonly handedOverAt: Instant | null;
}

/** Counts one more report to an issue's agent. Above the limit a person has to look; that person's action resets the count. */
export const countWake = (
  before: CountedWakes,
  { hasPersonActed, most, at }: { hasPersonActed: boolean; most: number; at: Instant },
): CountedWakes & { readonly wakesAgent: boolean } => {
  const wakes = hasPersonActed ? 0 : before.wakes;
  return wakes < most
    ? { wakesAgent: true, wakes: wakes + 1, handedOverAt: null }
    : { wakesAgent: false, wakes, handedOverAt: hasPersonActed ? at : (before.handedOverAt ?? at) };
};
