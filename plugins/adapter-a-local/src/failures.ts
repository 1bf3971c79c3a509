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
import { clause } from "../../kit/sentence.ts";
import { sessionUnusable } from "../../kit/session-failures.ts";
import type { ClaudeStream } from "./stream.ts";

export const signInHint = signInHints.claude;

const unknownSession = /no conversation found with session id/i;

/** The program no longer has the session to resume. */
export const sessionIsUnknown = (stream: ClaudeStream, stderr: string): boolean =>
  stream.result?.isError === true
    ? unknownSession.test([...stream.result.errors, stream.result.text].join("\n"))
    : stream.result === null && unknownSession.test(stderr);

const signInText =
  /not logged in|please run \/login|invalid api key|oauth token (?:has )?(?:expired|revoked)|authentication_error|belongs to a disabled organization/i;
const quotaText =
  /usage limit reached|hit your [\w\s-]{0,80}limit|limit reached\b.{0,300}\breset|out of (?:extra |usage )*(?:usage|credits)|credit balance is too low|spend(?:ing)? limit/i;
const tooOldText = /version of claude code \([^)]{0,80}\) needs an update|newer version .{0,80} is required/i;
const refusalText = /appears to violate our usage policy|unable to respond to this request/i;
const overloadText =
  /overloaded|rate.?limit|api error: (?:request rejected \()?(?:429|5\d\d)|connection error|unable to connect|econnre|etimedout|enotfound|fetch failed|timed out/i;

/**
 * Classifies a failure by `said`, the program's own error text, never by the agent's words. The order matters: a
 * used-up quota also answers 429.
 */
export const classifyFailure = (stream: ClaudeStream, message: string, now: Date): Failure => {
  const { result, errorCode } = stream;
  const status = result?.apiStatus ?? null;
  const sentence = sentenceOf("claude", message);

  if (result?.subtype === "error_max_turns") {
    return {
      errorCode: "max_turns_exhausted",
      errorMessage: `${clause(sentence)}. The next run starts a new session; raise maxTurnsPerRun if this happens often.`,
      clearSession: true,
    };
  }
  if (tooOldText.test(message))
    return {
      errorCode: "cli_version_incompatible",
      errorMessage: `${clause(sentence)}. Update it on the service's machine: npm install -g @anthropic-ai/claude-code`,
    };
  if (
    errorCode === "authentication_failed" ||
    errorCode === "oauth_org_not_allowed" ||
    status === 401 ||
    signInText.test(message)
  )
    return signInRequired("claude is not signed in", sentence, signInHint);
  const unusable = sessionUnusable(sentence);
  if (unusable !== null) return unusable;
  // A rejected limit explains this failure only if it is one of limits.
  const isOfLimits = status === 429 || errorCode === "rate_limit";
  if ((stream.limitRejected && isOfLimits) || errorCode === "billing_error" || quotaText.test(message))
    return quotaReached(sentence, stream.limitResetsAt ?? resetTime(message, now));
  if (result?.stopReason === "refusal" || refusalText.test(message)) return refusedByModel(sentence);
  if (
    status === 429 ||
    (status !== null && status >= 500) ||
    errorCode === "rate_limit" ||
    errorCode === "overloaded" ||
    errorCode === "server_error" ||
    (status === null && overloadText.test(message))
  )
    return transientUpstream(sentence);
  return { errorCode: "adapter_failed", errorMessage: sentence };
};
