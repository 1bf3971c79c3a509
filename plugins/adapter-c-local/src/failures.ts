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
import type { OpencodeError } from "./stream.ts";

export const signInHint = signInHints.opencode;

/** The program no longer has the session to resume. */
export const sessionIsUnknown = (message: string): boolean =>
  /session not found|NotFoundError.{0,300}session/i.test(message);

/** The program does not know the model. It reports that on standard error only, or not at all. */
const unknownModel = /model not found|ProviderModelNotFoundError|unknown provider/i;
const signInText =
  /incorrect api key|invalid[_ ]api[_ ]key|unauthorized|authentication|api key is missing|not logged in/i;
const quotaText =
  /insufficient_quota|exceeded your current quota|usage limit|quota exceeded|credit balance|out of credits/i;
const overloadText =
  /overloaded|rate.?limit|too many requests|timed out|econn|fetch failed|unable to connect|socket/i;

/** Classifies a failure by the program's own messages, never by the agent's words. */
export const classifyFailure = (
  error: Pick<OpencodeError, "message"> & Partial<OpencodeError>,
  now: Date,
): Failure => {
  const { message, name = "", status = null } = error;
  const sentence = sentenceOf("opencode", message);
  if (name === "ProviderAuthError" || status === 401 || (status === null && signInText.test(message)))
    return signInRequired("opencode is not signed in to its provider", sentence, signInHint);
  const unusable = sessionUnusable(name === "ContextOverflowError" ? `${name}: ${sentence}` : sentence);
  if (unusable !== null) return unusable;
  if (status === 402 || quotaText.test(message)) return quotaReached(sentence, resetTime(message, now));
  if (name === "ContentFilterError") return refusedByModel(sentence);
  if (status === 429 || (status !== null && status >= 500) || overloadText.test(message))
    return transientUpstream(sentence);
  if (unknownModel.test(message))
    return {
      errorCode: "configuration_incomplete",
      errorMessage: `${clause(sentence)}. Choose a model that \`opencode models\` lists.`,
    };
  return { errorCode: "adapter_failed", errorMessage: sentence };
};
