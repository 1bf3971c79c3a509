import { type Failure, quotaReached, sentenceOf, signInRequired, transientUpstream } from "../failure.ts";
import { asObject, asText } from "../json.ts";
import { resetTime } from "../reset-time.ts";
import { sessionUnusable } from "../session-failures.ts";
import { RpcError } from "./rpc-client.ts";

/** Sign-in is missing, by the protocol. */
const authRequired = -32000;

const signInText =
  /\b401\b|not logged in|please run \/login|incorrect api key|invalid[_ ]?(?:x-)?api[_ -]key|unauthorized|authentication|api key is missing|missing environment variable: `[A-Z_]*KEY|sign in again/i;
const quotaText =
  /usage limit|hit your [\w\s-]{0,80}limit|limit reached\b.{0,300}\breset|insufficient_quota|exceeded your current quota|quota exceeded|out of (?:extra |usage )*(?:usage|credits)|credit balance/i;
const overloadText =
  /overloaded|at capacity|rate.?limit|too many requests|\b429\b|\b5\d\d\b|stream disconnected|connection (?:error|refused|reset|failed)|econn|etimedout|fetch failed|unable to connect|timed out/i;

export interface AgentError {
  readonly program: string;
  readonly message: string;
  readonly signInHint: string;
  /** The agent's own name of the failure. */
  readonly name?: string;
  readonly needsSignIn?: boolean;
}

/**
 * Classifies a failure by the program's own error text, never by the agent's words. The order matters: a used-up quota
 * also answers 429.
 */
export const classifyFailure = (error: AgentError, now: Date): Failure => {
  const { program, message, signInHint, name = "", needsSignIn = false } = error;
  const sentence = sentenceOf(program, message);
  if (needsSignIn || signInText.test(message))
    return signInRequired(`${program} is not signed in`, sentence, signInHint);
  const unusable = sessionUnusable(
    name === "contextWindowExceeded" ? `context_length_exceeded: ${sentence}` : sentence,
  );
  if (unusable !== null) return unusable;
  if (name === "rate_limit" || name === "usageLimitExceeded" || quotaText.test(message))
    return quotaReached(sentence, resetTime(message, now));
  if (name === "server_error" || overloadText.test(message)) return transientUpstream(sentence);
  return { errorCode: "adapter_failed", errorMessage: sentence };
};

/** Returns what an error of the agent says: also what it hides in the error's data. */
export const agentErrorOf = (error: RpcError): Pick<AgentError, "message" | "name" | "needsSignIn"> => {
  const data = asObject(error.data);
  const details = asText(error.data) || asText(data?.details) || asText(data?.message);
  return {
    message:
      details === "" || error.message.includes(details) ? error.message : `${error.message}: ${details}`,
    name: asText(data?.errorKind) || asText(data?.codexErrorInfo),
    needsSignIn: error.code === authRequired || error.code === 401,
  };
};

export const isSignInRequired = (error: unknown): boolean =>
  error instanceof RpcError && error.code === authRequired;

/** The agent is of no use to us, as a sentence. */
export class Unfit extends Error {}

export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ").slice(0, 300);
