import type { ExecuteResult } from "../../ports/agent-adapter.ts";
import { resetTime } from "./reset-time.ts";
import { clause } from "./sentence.ts";

/** Why a run failed, for its result. */
export type Failure = Pick<ExecuteResult, "errorCode" | "errorFamily" | "retryNotBefore" | "clearSession"> & {
  readonly errorMessage: string;
};

/** How people sign in to programs that more than one adapter runs. */
export const signInHints = {
  claude:
    "Sign in by running `claude /login` as the user that agents run as, or bind a secret to ANTHROPIC_API_KEY in the agent's env.",
  codex:
    "Sign in by running `codex login` as the user that agents run as, or bind a secret to OPENAI_API_KEY in the agent's env.",
  opencode:
    "Sign in by running `opencode auth login` as the user that agents run as, or bind a secret to the provider's key variable in the agent's env.",
};

/** The program's own sentence about an error; `said` may be empty. */
export const sentenceOf = (program: string, message: string): string =>
  message === "" ? `${program} reported an error without saying which.` : message.slice(0, 1000);

/** `problem` begins the sentence: "codex is not signed in". */
export const signInRequired = (problem: string, sentence: string, hint: string): Failure => ({
  errorCode: "sign_in_required",
  errorFamily: "sign_in_required",
  errorMessage: `${problem}, or its credentials were refused (${clause(sentence)}). ${hint}`,
});

/** `until`: when the limit ends; null where that is not known. */
export const quotaReached = (sentence: string, until: Date | null): Failure => ({
  errorCode: "provider_quota",
  errorFamily: "provider_quota",
  errorMessage: sentence,
  ...(until === null ? {} : { retryNotBefore: until.toISOString() }),
});

/** Also excludes line 429 of a file, and a module that limits rates. */
const tooManyRequests =
  /too many requests|rate.?limit(?!er)|\(429\)|\b429 (?:rate|status)|(?:status|code|error|https?(?:\/[\d.]+)?)["']?\s?[:=]?\s?429\b/i;

/**
 * Classifies the failure of a program that ended, or was ended for its silence, without saying how its turn ended. A
 * program repeats a request that is answered with 429 by itself: one that names it last and nothing else has been
 * refused for longer, as with a quota that is used up.
 */
export const unfinishedFailure = (failure: Failure, lastMessage: string, now: Date): Failure => {
  const hasNoOtherCause =
    failure.errorCode === "adapter_failed" || failure.errorCode === "transient_upstream";
  return hasNoOtherCause && tooManyRequests.test(lastMessage)
    ? quotaReached(lastMessage, resetTime(lastMessage, now))
    : failure;
};

export const refusedByModel = (sentence: string): Failure => ({
  errorCode: "model_refusal",
  errorFamily: "model_refusal",
  errorMessage: sentence,
});

export const transientUpstream = (sentence: string): Failure => ({
  errorCode: "transient_upstream",
  errorFamily: "transient_upstream",
  errorMessage: sentence,
});
