import * as Effect from "effect/Effect";
import { PasskeyNotAccepted } from "../../core/model/access/passkey.ts";
import type { CeremonyOptions, Passkeys } from "../../ports/passkeys.ts";

/** Loaded with the first passkey: many services have none. */
const library = () => import("@simplewebauthn/server");

const bytesOf = (text: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(text);

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

const options = (make: () => Promise<unknown>): Effect.Effect<CeremonyOptions> =>
  Effect.promise(make) as Effect.Effect<CeremonyOptions>;

/** The library throws for each answer that is malformed or not valid. */
const verified = <A>(verify: () => Promise<A | null>): Effect.Effect<A, PasskeyNotAccepted> =>
  Effect.tryPromise({ try: verify, catch: () => new PasskeyNotAccepted() }).pipe(
    Effect.flatMap((found) =>
      found === null ? Effect.fail(new PasskeyNotAccepted()) : Effect.succeed(found),
    ),
  );

/** WebAuthn by SimpleWebAuthn. */
export const webauthnPasskeys: Passkeys = {
  registrationOptions: (party, { userId, name, challenge, existing }) =>
    options(async () =>
      (await library()).generateRegistrationOptions({
        rpName: "Boardroom",
        rpID: party.id,
        userID: new TextEncoder().encode(userId),
        userName: name,
        challenge: bytesOf(challenge),
        attestationType: "none",
        excludeCredentials: existing.map((id) => ({ id })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      }),
    ),
  verifyRegistration: ({ id: expectedRPID, origin }, challenge, { credentialId: id, ...answer }) =>
    verified(async () => {
      const { verified: isValid, registrationInfo } = await (await library()).verifyRegistrationResponse({
        response: {
          id,
          rawId: id,
          type: "public-key",
          response: { clientDataJSON: answer.clientDataJson, attestationObject: answer.attestationObject },
          clientExtensionResults: {},
        },
        expectedChallenge: textOf(challenge),
        expectedOrigin: origin,
        expectedRPID,
        requireUserVerification: true,
      });
      if (!isValid) return null;
      const { credential } = registrationInfo;
      return { credentialId: credential.id, publicKey: credential.publicKey, counter: credential.counter };
    }),
  signInOptions: (party, challenge) =>
    options(async () =>
      (await library()).generateAuthenticationOptions({
        rpID: party.id,
        challenge: bytesOf(challenge),
        userVerification: "required",
      }),
    ),
  verifyAssertion: ({ id: expectedRPID, origin }, challenge, passkey, { credentialId: id, ...answer }) =>
    verified(async () => {
      const { verified: isValid, authenticationInfo } = await (await library()).verifyAuthenticationResponse({
        response: {
          id,
          rawId: id,
          type: "public-key",
          response: {
            clientDataJSON: answer.clientDataJson,
            authenticatorData: answer.authenticatorData,
            signature: answer.signature,
          },
          clientExtensionResults: {},
        },
        expectedChallenge: textOf(challenge),
        expectedOrigin: origin,
        expectedRPID,
        requireUserVerification: true,
        credential: {
          id: passkey.credentialId,
          publicKey: bytesOf(passkey.publicKey),
          counter: passkey.counter,
        },
      });
      return isValid ? authenticationInfo.newCounter : null;
    }),
};
