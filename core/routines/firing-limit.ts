import { refusal } from "../shared/failure.ts";
import type { Instant } from "../shared/instant.ts";

/** How often a webhook trigger fires within the window at most. */
export const firingLimit = { firings: 60, windowSec: 60 } as const;

export class TooManyFirings extends refusal(
  "too_many_firings",
  "too_many",
  `A trigger fires at most ${firingLimit.firings} times within ${firingLimit.windowSec} seconds.`,
) {}

/** The refusal of one more firing; `earlier` is when the trigger fired that many times ago, null where it never did. */
export const refuseTooMany = (earlier: Instant | null, at: Instant): TooManyFirings | null => {
  if (earlier === null) return null;
  const leftSec = firingLimit.windowSec - (Date.parse(at) - Date.parse(earlier)) / 1000;
  return leftSec > 0 ? new TooManyFirings({ retryAfterSec: Math.ceil(leftSec) }) : null;
};
