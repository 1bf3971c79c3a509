import { type Instant, toInstant } from "../../core/model/shared/instant.ts";
import type { Clock } from "../../ports/clock.ts";

/** A request asks several times within a millisecond, which is written once. */
let last: { readonly millis: number; readonly instant: Instant } = {
  millis: 0,
  instant: toInstant(new Date(0)),
};

export const systemClock: Clock = {
  now: () => {
    const millis = Date.now();
    if (millis !== last.millis) last = { millis, instant: toInstant(new Date(millis)) };
    return last.instant;
  },
};
