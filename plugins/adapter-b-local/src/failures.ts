import type { ExecuteResult } from "../../../ports/agent-adapter.ts";
import { resetTime } from "../../kit/reset-time.ts";
import { clause } from "../../kit/sentence.ts";

export type CodexFailure = Pick<ExecuteResult, "errorCode" | "errorFamily" | "retryNotBefore"> & {
  readonly errorMessage: string;
};

export const signInHint =
  "Sign in by running `codex login` as the user that agents run as, or bind a secret to OPENAI_API_KEY in the agent's env.";

const unknownSession =
  /no rollout found for thread|thread\/resume failed|(?:session|thread|conversation) not found/i;

/** The program no longer has the session to resume. */
export const sessionIsUnknown = (said: string): boolean => unknownSession.test(said);

const signInText =
  /\b401 unauthorized|not logged in|run codex login|incorrect api key|invalid[_ ]api[_ ]key|missing environment variable: `[A-Z_]*KEY|refresh token (?:was|has|is)|token (?:has )?(?:expired|been (?:revoked|invalidated))|sign in again|missing bearer/i;
const quotaText =
  /usage limit|hit your [\w\s-]*limit|exceeded your current quota|insufficient_quota|quota exceeded|out of credits/i;
const refusalText = /content[_ ]policy|cyber[_ ]policy|flagged (?:as|for)|violat\w+ (?:our )?usage polic/i;
const overloadText =
  /overloaded|at capacity|high demand|rate.?limit|\b429\b|unexpected status 5\d\d|\b5\d\d (?:internal|bad|service|gateway)|stream disconnected|error sending request|connection (?:refused|reset|failed)|timed out|stream error/i;

/**
 * Classifies a failure by `said`, the program's own error text, never by the agent's words. The order matters: a
 * used-up quota also answers 429.
 */
export const classifyFailure = (said: string, now: Date): CodexFailure => {
  const sentence = said === "" ? "codex reported an error without saying which." : said.slice(0, 1000);
  if (signInText.test(said)) {
    return {
      errorCode: "sign_in_required",
      errorFamily: "sign_in_required",
      errorMessage: `codex is not signed in, or its credentials were refused (${clause(sentence)}). ${signInHint}`,
    };
  }
  if (quotaText.test(said)) {
    const until = resetTime(said, now);
    return {
      errorCode: "provider_quota",
      errorFamily: "provider_quota",
      errorMessage: sentence,
      ...(until === null ? {} : { retryNotBefore: until.toISOString() }),
    };
  }
  if (refusalText.test(said))
    return { errorCode: "model_refusal", errorFamily: "model_refusal", errorMessage: sentence };
  if (overloadText.test(said))
    return { errorCode: "transient_upstream", errorFamily: "transient_upstream", errorMessage: sentence };
  return { errorCode: "adapter_failed", errorMessage: sentence };
};
