import type { Instant } from "../shared/instant.ts";
import { addSeconds } from "../shared/instant.ts";

/** A web session ends when it was not used for this long. */
export const sessionIdleSec = 12 * 60 * 60;

/** However much it is used, a web session ends after this. */
export const sessionLongestSec = 7 * 24 * 60 * 60;

const earlier = (a: Instant, b: Instant): Instant => (a < b ? a : b);

/** When a web session ends: `expiresAt` moves on as it is used, `endsAt` never. */
export interface SessionEnds {
  readonly expiresAt: Instant;
  readonly endsAt: Instant;
}

/** The ends of a session that is made now; `latest` is the end of the credential it is made by, null for none. */
export const endsOfSession = (at: Instant, latest: Instant | null): SessionEnds => {
  const longest = addSeconds(at, sessionLongestSec);
  const endsAt = latest === null ? longest : earlier(latest, longest);
  return { endsAt, expiresAt: earlier(endsAt, addSeconds(at, sessionIdleSec)) };
};
