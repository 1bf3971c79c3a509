import { refusal } from "../shared/failure.ts";
import { addSeconds, type Instant } from "../shared/instant.ts";
import { assistantOf, NotByAssistant } from "./assistant-rights.ts";
import type { Caller } from "./caller.ts";

/** A verification of a person counts for this time, in seconds. */
export const verificationSec = 5 * 60;

export class VerificationRequired extends refusal(
  "verification_required",
  "forbidden",
  "Verify with your passkey first.",
) {}

/**
 * Whether a caller must verify with a passkey before what can't be undone and before what lets somebody in: somebody
 * else may sit at an open browser.
 * Programs with a token and people without a passkey can't. Assistants have nobody who could, and are refused.
 */
export const refusalOfUnverified = (
  caller: Caller,
  at: Instant,
): VerificationRequired | NotByAssistant | null => {
  if (assistantOf(caller) !== null) return new NotByAssistant();
  if (caller.kind !== "board" || !caller.session || caller.verification === undefined) return null;
  const { lastAt } = caller.verification;
  return lastAt !== null && lastAt > addSeconds(at, -verificationSec) ? null : new VerificationRequired();
};
