import type { Instant } from "../shared/instant.ts";
import { addSeconds } from "../shared/instant.ts";

/** The maximum time for which a provider's answer holds an account: one week. */
const longestSec = 7 * 24 * 3600;

/**
 * Returns until when a provider's answer holds the runs of its adapter and account; null for none or an invalid one.
 */
export const holdUntil = (retryNotBefore: string | null, at: Instant): Instant | null => {
  const time = retryNotBefore === null ? Number.NaN : Date.parse(retryNotBefore);
  if (Number.isNaN(time)) return null;
  const until = new Date(Math.min(time, Date.parse(addSeconds(at, longestSec)))).toISOString();
  return until > at ? until : null;
};
