import type { TriggerId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** When a schedule fires next. */
export interface NextFire {
  readonly triggerId: TriggerId;
  readonly scheduledFor: Instant;
}

/** Returns the earliest fires. */
export const earliest = <F extends NextFire>(fires: readonly F[], count: number): readonly F[] =>
  [...fires].sort((a, b) => (a.scheduledFor < b.scheduledFor ? -1 : 1)).slice(0, count);
