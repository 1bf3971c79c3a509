import { refusal } from "../shared/failure.ts";
import type { Instant } from "../shared/instant.ts";
import type { SignInMethod } from "./sign-in.ts";

/** The purpose of a one-time link: printed at a start, opened by `boardroom open`, or sent to a person. */
export type SignInPurpose = "start" | "open" | "invitation";

/** How long an unused link stays valid, in seconds. */
export const signInCodeSec: Readonly<Record<SignInPurpose, number>> = {
  start: 10 * 60,
  open: 2 * 60,
  invitation: 24 * 60 * 60,
};

export const methodOfCode = (purpose: SignInPurpose): SignInMethod =>
  purpose === "invitation" ? "invitation" : "link";

export class SignInCodeNotValid extends refusal(
  "sign_in_code_not_valid",
  "unauthenticated",
  "This link is no longer valid. Run `boardroom open` for a new one.",
) {}

export class SignInCodeUsed extends refusal(
  "sign_in_code_used",
  "unauthenticated",
  "This link has already been used. If that wasn't you, revoke your tokens to end the session it started.",
) {}

export interface CodeFacts {
  readonly expiresAt: Instant;
  readonly usedAt: Instant | null;
  readonly revokedAt: Instant | null;
  readonly userDisabledAt: Instant | null;
}

/** Returns why a code is invalid, or null. */
export const refusalOfCode = (
  code: CodeFacts | null,
  at: Instant,
): SignInCodeNotValid | SignInCodeUsed | null => {
  if (code === null || code.userDisabledAt !== null) return new SignInCodeNotValid();
  if (code.usedAt !== null) return new SignInCodeUsed();
  return code.revokedAt !== null || code.expiresAt <= at ? new SignInCodeNotValid() : null;
};
