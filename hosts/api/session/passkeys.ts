import * as Effect from "effect/Effect";
import { z } from "zod";
import {
  PasskeyNeedsSession,
  PasskeyNotAccepted,
  PasskeyNotFound,
  PasskeyNotValid,
  PasskeyRegistered,
  PasskeysUnavailable,
  TooManyPasskeys,
} from "../../../core/model/access/passkey.ts";
import type { PasskeyId } from "../../../core/model/shared/ids.ts";
import { boardOnly, byLink, verified } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { sessionEndpoint } from "../endpoint/session-endpoint.ts";
import { Done, Name, Timestamp, upTo } from "../endpoint/values.ts";
import { PasskeyShape } from "./session-shapes.ts";

const base64Url = (most: number) =>
  upTo(most)
    .min(1)
    .regex(/^[\w-]+$/, "must be in base64url");

const Flow = upTo(2_000).min(1).describe("The flow of the options.");

const credential = <Response extends z.ZodObject>(response: Response) =>
  z.object({
    id: base64Url(1_400),
    type: z.literal("public-key"),
    response,
  });

const AssertionBody = credential(
  z.object({
    clientDataJSON: base64Url(4_000),
    authenticatorData: base64Url(4_000),
    signature: base64Url(16_000),
  }),
).describe("What `navigator.credentials.get` has answered, as its `toJSON()` gives it.");

const AttestationBody = credential(
  z.object({ clientDataJSON: base64Url(4_000), attestationObject: base64Url(40_000) }),
).describe("What `navigator.credentials.create` has answered, as its `toJSON()` gives it.");

const assertionOf = ({ id, response }: z.output<typeof AssertionBody>) => ({
  credentialId: id,
  clientDataJson: response.clientDataJSON,
  authenticatorData: response.authenticatorData,
  signature: response.signature,
});

const BegunShape = z.object({
  flow: z.string().describe("Send it back with the authenticator's answer, within five minutes."),
  options: z
    .record(z.string(), z.unknown())
    .describe("The `publicKey` of WebAuthn, as `PublicKeyCredential.parse…OptionsFromJSON` reads it."),
});

/** Sign-in and repeated verification with a passkey. */
export const passkeySignIn = {
  beginByPasskey: endpoint({
    method: "POST",
    path: "/api/session/passkey/options",
    summary: "Begin a sign-in with a passkey",
    description:
      "Needs no credentials. Pass `options` to `navigator.credentials.get`, and send its answer with `flow` to `POST /api/session/passkey/verify`, or to `POST /api/session/verification` if you are signed in.",
    access: byLink,
    returns: BegunShape,
    failures: [PasskeysUnavailable],
    run: ({ access }) => access.beginPasskeySignIn(),
  }),
  createByPasskey: sessionEndpoint({
    method: "POST",
    path: "/api/session/passkey/verify",
    summary: "Exchange the answer of an authenticator for a web session",
    description:
      "Works as `POST /api/session`. The passkey says who signs in. Each challenge works once, and user verification is required.",
    access: byLink,
    body: z.strictObject({ flow: Flow, response: AssertionBody }),
    returns: z.object({ csrfToken: z.string(), expiresAt: Timestamp }),
    status: 201,
    failures: [PasskeysUnavailable, PasskeyNotValid],
    run: ({ access }, { flow, response }, { client }) =>
      access
        .signInByPasskey({ flow, assertion: assertionOf(response), client })
        .pipe(Effect.map(({ session, ...answer }) => ({ session, answer }))),
  }),
  verify: endpoint({
    method: "POST",
    path: "/api/session/verification",
    summary: "Verify with a passkey before what can't be undone",
    description:
      "For web sessions of people who have a passkey: for five minutes from then on, calls that can't be undone or let somebody in are no longer refused with `verification_required`. Signing in with a passkey verifies, too.",
    access: boardOnly,
    body: z.strictObject({ flow: Flow, response: AssertionBody }),
    returns: z.object({ verifiedUntil: Timestamp }),
    failures: [PasskeysUnavailable, PasskeyNeedsSession, PasskeyNotAccepted],
    run: ({ access }, { flow, response }, { caller }) =>
      access.verifyByPasskey({ flow, assertion: assertionOf(response), caller }),
  }),
};

export const passkeys = {
  list: endpoint({
    method: "GET",
    path: "/api/passkeys",
    summary: "List your passkeys",
    description: "Oldest first, 20 at most. Nobody else sees them.",
    access: boardOnly,
    returns: z.array(PasskeyShape).readonly(),
    run: ({ views }, _, { caller }) => views.access.passkeys(caller.userId),
  }),
  begin: endpoint({
    method: "POST",
    path: "/api/passkeys/options",
    summary: "Begin the registration of a passkey",
    description:
      "For web sessions. Pass `options` to `navigator.credentials.create`, and send its answer with `flow` to `POST /api/passkeys`.",
    access: verified(boardOnly),
    returns: BegunShape,
    failures: [PasskeysUnavailable, PasskeyNeedsSession],
    run: ({ access }, _, { caller }) => access.beginPasskeyRegistration(caller),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/passkeys",
    summary: "Register a passkey",
    description:
      "For the web session in which the registration began. The passkey signs in as you. If you have one already, verify with it first.",
    access: verified(boardOnly),
    body: z.strictObject({ name: Name.max(100), flow: Flow, response: AttestationBody }),
    returns: PasskeyShape,
    status: 201,
    failures: [
      PasskeysUnavailable,
      PasskeyNeedsSession,
      PasskeyNotAccepted,
      PasskeyRegistered,
      TooManyPasskeys,
    ],
    creates: {
      again: ({ views }, id, { caller }) =>
        views.access.passkeys(caller.userId).pipe(
          Effect.flatMap((all) => {
            const made = all.find((each) => each.id === id);
            return made === undefined ? Effect.fail(new PasskeyNotAccepted()) : Effect.succeed(made);
          }),
        ),
    },
    run: ({ access }, { name, flow, response }, { caller, newId }) =>
      access.addPasskey({
        id: newId<PasskeyId>(),
        name,
        flow,
        attestation: {
          credentialId: response.id,
          clientDataJson: response.response.clientDataJSON,
          attestationObject: response.response.attestationObject,
        },
        caller,
      }),
  }),
  delete: endpoint({
    method: "DELETE",
    path: "/api/passkeys/{passkeyId}",
    summary: "Remove a passkey of yours",
    description: "It signs nobody in again. Other web sessions that began with it end.",
    access: verified(boardOnly),
    returns: Done,
    failures: [PasskeyNotFound],
    run: ({ access }, { passkeyId }, { caller }) => access.removePasskey({ passkeyId, caller }),
  }),
};
