import type { ExecuteResult } from "../../../ports/agent-adapter.ts";
import { resetTime } from "../../kit/reset-time.ts";
import { clause } from "../../kit/sentence.ts";
import type { OpencodeError } from "./stream.ts";

export type OpencodeFailure = Pick<ExecuteResult, "errorCode" | "errorFamily" | "retryNotBefore"> & {
  readonly errorMessage: string;
};

export const signInHint =
  "Sign in by running `opencode auth login` as the user that agents run as, or bind a secret to the provider's key variable in the agent's env.";

/** The program no longer has the session to resume. */
export const sessionIsUnknown = (said: string): boolean =>
  /session not found|NotFoundError.*session/i.test(said);

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
): OpencodeFailure => {
  const { message, name = "", status = null } = error;
  const sentence =
    message === "" ? "opencode reported an error without saying which." : message.slice(0, 1000);
  if (name === "ProviderAuthError" || status === 401 || (status === null && signInText.test(message)))
    return {
      errorCode: "sign_in_required",
      errorFamily: "sign_in_required",
      errorMessage: `opencode has no credentials for its provider, or they were refused (${clause(sentence)}). ${signInHint}`,
    };
  if (status === 402 || quotaText.test(message)) {
    const until = resetTime(message, now);
    return {
      errorCode: "provider_quota",
      errorFamily: "provider_quota",
      errorMessage: sentence,
      ...(until === null ? {} : { retryNotBefore: until.toISOString() }),
    };
  }
  if (name === "ContentFilterError")
    return { errorCode: "model_refusal", errorFamily: "model_refusal", errorMessage: sentence };
  if (status === 429 || (status !== null && status >= 500) || overloadText.test(message))
    return { errorCode: "transient_upstream", errorFamily: "transient_upstream", errorMessage: sentence };
  if (unknownModel.test(message))
    return {
      errorCode: "configuration_incomplete",
      errorMessage: `${clause(sentence)}. Choose a model that \`opencode models\` lists.`,
    };
  return { errorCode: "adapter_failed", errorMessage: sentence };
};
