import type * as Effect from "effect/Effect";
import type { Passkey, PasskeyNotAccepted, RelyingParty } from "../core/model/access/passkey.ts";
import type { UserId } from "../core/model/shared/ids.ts";

/** The answer of an authenticator to a sign-in or verification; binary values are in base64url. */
export interface Assertion {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

/** The answer of an authenticator that has made a passkey. */
export interface Attestation {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly attestationObject: string;
}

/** Options of a WebAuthn ceremony, as browsers parse them from JSON. */
export type CeremonyOptions = Readonly<Record<string, unknown>>;

interface Registration {
  readonly userId: UserId;
  readonly name: string;
  readonly challenge: Uint8Array;
  /** Credentials of the person; an authenticator that has one makes no other. */
  readonly existing: readonly string[];
}

/** WebAuthn. Each ceremony requires that the authenticator verifies its user. */
export interface Passkeys {
  registrationOptions(party: RelyingParty, registration: Registration): Effect.Effect<CeremonyOptions>;
  /** Verifies challenge, origin, relying party and user verification of a new passkey. */
  verifyRegistration(
    party: RelyingParty,
    challenge: Uint8Array,
    attestation: Attestation,
  ): Effect.Effect<Pick<Passkey, "credentialId" | "publicKey" | "counter">, PasskeyNotAccepted>;
  /** For any passkey that the person chooses. */
  signInOptions(party: RelyingParty, challenge: Uint8Array): Effect.Effect<CeremonyOptions>;
  /** Verifies the same and the signature; returns the counter of signatures. */
  verifyAssertion(
    party: RelyingParty,
    challenge: Uint8Array,
    passkey: Pick<Passkey, "credentialId" | "publicKey" | "counter">,
    assertion: Assertion,
  ): Effect.Effect<number, PasskeyNotAccepted>;
}
