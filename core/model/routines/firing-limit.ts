import { refusal } from "../shared/failure.ts";
import type { Instant } from "../shared/instant.ts";

/** The maximum firings of a webhook trigger within the window. */
export const firingLimit = { firings: 60, windowSec: 60 } as const;

export class TooManyFirings extends refusal(
  "too_many_firings",
  "too_many",
  `A trigger can fire at most ${firingLimit.firings} times in ${firingLimit.windowSec} seconds.`,
) {}

/** Returns the refusal of one more firing; `earlier` is the time of the firing that many firings ago, or null. */
export const refuseTooMany = (earlier: Instant | null, at: Instant): TooManyFirings | null => {
  if (earlier === null) return null;
  const leftSec = firingLimit.windowSec - (Date.parse(at) - Date.parse(earlier)) / 1000;
  return leftSec > 0 ? new TooManyFirings({ retryAfterSec: Math.ceil(leftSec) }) : null;
};
