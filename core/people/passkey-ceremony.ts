import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import type { Assertion, Passkeys } from "../../ports/passkeys.ts";
import { transactAsSystem, type UnitOfWork, type UseCaseContext } from "../access/unit-of-work.ts";
import {
  challengeSec,
  isNewerSignature,
  type Passkey,
  PasskeyNotAccepted,
  PasskeysUnavailable,
  relyingPartyOf,
} from "../model/access/passkey.ts";
import type { TokenId } from "../model/shared/ids.ts";
import { addSeconds } from "../model/shared/instant.ts";

export interface PasskeyIo {
  readonly passkeys: Passkeys;
  readonly credentials: Credentials;
  /** The public address of the service. */
  readonly address: () => string;
}

/** A registration belongs to the session in which it began; a sign-in also verifies a person again. */
type Purpose = "sign-in" | `registration ${TokenId}`;

/** Sign-in providers have names without blanks. */
const nameOf = (purpose: Purpose): string => `passkey ${purpose}`;

const challengeOf = ({ credentials }: PasskeyIo, flow: string): Uint8Array =>
  credentials.fingerprint(["passkey challenge", flow]);

const requireParty = ({ address }: PasskeyIo) => {
  const party = relyingPartyOf(address());
  return party === null ? Effect.fail(new PasskeysUnavailable()) : Effect.succeed(party);
};

/** Begins a ceremony. Its challenge is derived from the flow, and nothing is stored until it is answered. */
export const beginCeremony = (io: PasskeyIo, purpose: Purpose) =>
  Effect.gen(function* () {
    const party = yield* requireParty(io);
    const flow = yield* io.credentials.mintFlow(nameOf(purpose), challengeSec);
    return { party, flow, challenge: challengeOf(io, flow) };
  });

/** The ceremony of a flow that has begun here for that purpose and has not expired. */
export const ceremonyOf = (io: PasskeyIo, purpose: Purpose, flow: string) =>
  Effect.gen(function* () {
    const party = yield* requireParty(io);
    if ((yield* io.credentials.readFlow(flow)) !== nameOf(purpose))
      return yield* Effect.fail(new PasskeyNotAccepted());
    return { party, challenge: challengeOf(io, flow) };
  });

export interface PasskeyAnswer {
  readonly flow: string;
  readonly assertion: Assertion;
}

/** The passkey that has answered the challenge of a sign-in. `counter` is that of its signature, once it is verified. */
export const answeringPasskey = (
  context: UseCaseContext,
  io: PasskeyIo,
  { flow, assertion }: PasskeyAnswer,
) =>
  Effect.gen(function* () {
    const { party, challenge } = yield* ceremonyOf(io, "sign-in", flow);
    const passkey = yield* transactAsSystem(context, "access.findPasskey", function* (unit) {
      return yield* unit.passkeys.find(assertion.credentialId);
    });
    if (passkey === null) return yield* Effect.fail(new PasskeyNotAccepted());
    return { passkey, challenge, counter: io.passkeys.verifyAssertion(party, challenge, passkey, assertion) };
  });

/** Records the use of a challenge; false: it was used before. */
export const useChallenge = (unit: UnitOfWork, challenge: Uint8Array) =>
  unit.passkeys.useChallenge(challenge, unit.at, addSeconds(unit.at, challengeSec));

/** Records a verified signature; false: its challenge or its counter was used before, or the passkey is removed. */
export const acceptSignature = (
  unit: UnitOfWork,
  { credentialId }: Passkey,
  { challenge, counter }: { readonly challenge: Uint8Array; readonly counter: number },
) =>
  Effect.gen(function* () {
    const passkey = yield* unit.passkeys.lock(credentialId);
    if (passkey === null || !isNewerSignature(passkey.counter, counter)) return false;
    if (!(yield* useChallenge(unit, challenge))) return false;
    yield* unit.passkeys.recordUse(passkey.id, counter, unit.at);
    return true;
  });
