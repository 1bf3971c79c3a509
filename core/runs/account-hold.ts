import type { Instant } from "../shared/instant.ts";
import { addSeconds } from "../shared/instant.ts";

/** The word of an adapter holds an account for a week at most. */
const longestSec = 7 * 24 * 3600;

/** Until when a provider's answer holds the runs of its adapter and account; null where it does not, or makes no sense. */
export const holdUntil = (retryNotBefore: string | null, at: Instant): Instant | null => {
  const time = retryNotBefore === null ? Number.NaN : Date.parse(retryNotBefore);
  if (Number.isNaN(time)) return null;
  const until = new Date(Math.min(time, Date.parse(addSeconds(at, longestSec)))).toISOString();
  return until > at ? until : null;
};
