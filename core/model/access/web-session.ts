import { refusal } from "../shared/failure.ts";
import type { Instant } from "../shared/instant.ts";
import { addSeconds } from "../shared/instant.ts";

/** Of an exchange of credentials: a session has none to exchange. */
export class SessionNeedsToken extends refusal(
  "session_needs_token",
  "forbidden",
  "A web session can't be exchanged for another. Send a board token.",
) {}

export class SessionNotFound extends refusal(
  "session_not_found",
  "not_found",
  "You have no such web session.",
) {}

/** A web session ends when it is unused for this long. */
export const sessionIdleSec = 12 * 60 * 60;

/** A web session ends after this time, even while it is used. */
export const sessionLongestSec = 7 * 24 * 60 * 60;

const earlier = (a: Instant, b: Instant): Instant => (a < b ? a : b);

/** When a web session ends: `expiresAt` moves on as it is used, `endsAt` never. */
export interface SessionEnds {
  readonly expiresAt: Instant;
  readonly endsAt: Instant;
}

/** The end times of a new session; `latest` is the end of the credential that creates it, or null. */
export const endsOfSession = (at: Instant, latest: Instant | null): SessionEnds => {
  const longest = addSeconds(at, sessionLongestSec);
  const endsAt = latest === null ? longest : earlier(latest, longest);
  return { endsAt, expiresAt: earlier(endsAt, addSeconds(at, sessionIdleSec)) };
};
