import {
  type Failure,
  quotaReached,
  refusedByModel,
  sentenceOf,
  signInHints,
  signInRequired,
  transientUpstream,
} from "../../kit/failure.ts";
import { resetTime } from "../../kit/reset-time.ts";
import { sessionUnusable } from "../../kit/session-failures.ts";

export const signInHint = signInHints.codex;

const unknownSession =
  /no rollout found for thread|thread\/resume failed|(?:session|thread|conversation) not found/i;

/** The program no longer has the session to resume. */
export const sessionIsUnknown = (message: string): boolean => unknownSession.test(message);

const signInText =
  /\b401 unauthorized|not logged in|run codex login|incorrect api key|invalid[_ ]api[_ ]key|missing environment variable: `[A-Z_]*KEY|refresh token (?:was|has|is)|token (?:has )?(?:expired|been (?:revoked|invalidated))|sign in again|missing bearer/i;
const quotaText =
  /usage limit|hit your [\w\s-]{0,80}limit|exceeded your current quota|insufficient_quota|quota exceeded|out of credits/i;
const refusalText =
  /content[_ ]policy|cyber[_ ]policy|flagged (?:as|for)|violat\w{1,20} (?:our )?usage polic/i;
const overloadText =
  /overloaded|at capacity|high demand|rate.?limit|\b429\b|unexpected status 5\d\d|\b5\d\d (?:internal|bad|service|gateway)|stream disconnected|error sending request|connection (?:refused|reset|failed)|timed out|stream error/i;

/**
 * Classifies a failure by `said`, the program's own error text, never by the agent's words. The order matters: a
 * used-up quota also answers 429.
 */
export const classifyFailure = (message: string, now: Date): Failure => {
  const sentence = sentenceOf("codex", message);
  if (signInText.test(message)) return signInRequired("codex is not signed in", sentence, signInHint);
  const unusable = sessionUnusable(sentence);
  if (unusable !== null) return unusable;
  if (quotaText.test(message)) return quotaReached(sentence, resetTime(message, now));
  if (refusalText.test(message)) return refusedByModel(sentence);
  if (overloadText.test(message)) return transientUpstream(sentence);
  return { errorCode: "adapter_failed", errorMessage: sentence };
};
