import type { UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** How a person signs in: with a board token, a one-time link of their own, that of an invitation, at a provider, or with a passkey. */
export const signInMethods = ["token", "link", "invitation", "provider", "passkey"] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** A sign-in, or a refused one that names its person. */
export interface SignIn {
  readonly id: string;
  readonly userId: UserId;
  readonly method: SignInMethod;
  /** The code of the refusal; null: signed in. */
  readonly refusal: string | null;
  /** Null: unknown. */
  readonly device: string | null;
  readonly address: string | null;
  /** The person has not signed in with this kind of browser from this address before, but has from others. */
  readonly newDevice: boolean;
  readonly createdAt: Instant;
}

/** Refused sign-ins of a person that are recorded: one in this time. An attacker who repeats one must not fill the activity. */
export const refusedSignInEverySec = 60;

/** The sign-ins that a person sees. */
export const mostSignInsShown = 50;
