import { refusal } from "../shared/failure.ts";
import type { UserId } from "../shared/ids.ts";
import { addSeconds, type Instant } from "../shared/instant.ts";

/** Where a person gets email: an address that they have confirmed by a link, or that a sign-in provider has verified. */
export interface EmailAddress {
  readonly userId: UserId;
  /** null: the person has removed it, and no provider sets it again. */
  readonly address: string | null;
  readonly confirmedAt: Instant | null;
  /** The sign-in provider that has verified it; null: the person has confirmed it. */
  readonly provider: string | null;
}

/** A link that confirms an address. The last one of a person counts. */
export interface EmailConfirmation {
  readonly id: string;
  readonly userId: UserId;
  readonly address: string;
  /** SHA-256. */
  readonly hash: Uint8Array;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

/** How long a link stays valid, in seconds. */
export const emailConfirmationSec = 60 * 60;

/** The links that are sent within a day, at most: more would be a way to annoy the owner of an address. */
export const mostConfirmations = { ofPerson: 10, ofAddress: 5, withinSec: 86_400 } as const;

/** Confirmations in that time, and the oldest of them. */
export interface RecentConfirmations {
  readonly ofPerson: number;
  readonly ofAddress: number;
  readonly oldest: Instant | null;
}

export class EmailUnavailable extends refusal(
  "email_unavailable",
  "conflict",
  "This instance can't send email. Ask your admin to set SERVICE_SMTP_URL.",
) {}

export class EmailNotSent extends refusal(
  "email_not_sent",
  "upstream_failed",
  "The mail server didn't accept the message. Check the address, or try again in a moment.",
) {}

export class TooManyConfirmations extends refusal(
  "too_many_confirmations",
  "too_many",
  "Too many confirmation links were sent to you or to this address. Wait as long as Retry-After says.",
) {}

export class EmailConfirmationNotValid extends refusal(
  "email_confirmation_not_valid",
  "unauthenticated",
  "This link is no longer valid. Enter your email address in your profile again for a new one.",
) {}

/** Returns why no further link is sent, or null. */
export const refusalOfConfirmations = (
  { ofPerson, ofAddress, oldest }: RecentConfirmations,
  at: Instant,
): TooManyConfirmations | null => {
  if (ofPerson < mostConfirmations.ofPerson && ofAddress < mostConfirmations.ofAddress) return null;
  const free = oldest === null ? at : addSeconds(oldest, mostConfirmations.withinSec);
  const retryAfterSec = Math.max(1, Math.ceil((Date.parse(free) - Date.parse(at)) / 1_000));
  return new TooManyConfirmations({ retryAfterSec });
};

/** The address after a sign-in at a provider that has verified one. What the person has chosen stays. */
export const addressFromProvider = (
  before: EmailAddress | null,
  verified: { readonly userId: UserId; readonly address: string; readonly provider: string },
  at: Instant,
): EmailAddress | null => {
  if (before !== null && (before.provider === null || before.address === verified.address)) return null;
  return { ...verified, confirmedAt: at };
};
