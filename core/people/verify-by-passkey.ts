import * as Effect from "effect/Effect";
import type { Assertion } from "../../ports/passkeys.ts";
import { transact, transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import { actorOf, type BoardCaller } from "../model/access/caller.ts";
import { PasskeyNeedsSession, PasskeyNotAccepted } from "../model/access/passkey.ts";
import { verificationSec } from "../model/access/verification.ts";
import { addSeconds } from "../model/shared/instant.ts";
import { acceptSignature, ceremonyOf, type PasskeyIo } from "./passkey-ceremony.ts";

export interface VerifyByPasskey {
  readonly flow: string;
  readonly assertion: Assertion;
  readonly caller: BoardCaller;
}

/** Records that the person at a web session has verified themselves with a passkey of their own. */
export const verifyByPasskey =
  (context: UseCaseContext, io: PasskeyIo) =>
  ({ flow, assertion, caller }: VerifyByPasskey) =>
    Effect.gen(function* () {
      if (!caller.session) return yield* Effect.fail(new PasskeyNeedsSession());
      const { party, challenge } = yield* ceremonyOf(io, "sign-in", flow);
      const passkey = yield* transactAsSystem(context, "access.findPasskey", function* (unit) {
        return yield* unit.passkeys.find(assertion.credentialId);
      });
      if (passkey === null || passkey.userId !== caller.userId)
        return yield* Effect.fail(new PasskeyNotAccepted());
      const counter = yield* io.passkeys.verifyAssertion(party, challenge, passkey, assertion);
      return yield* transact(context, "access.verifyByPasskey", actorOf(caller), function* (unit) {
        if (!(yield* acceptSignature(unit, passkey, { challenge, counter })))
          return yield* Effect.fail(new PasskeyNotAccepted());
        yield* unit.passkeys.recordVerification(caller.tokenId, unit.at);
        return { verifiedUntil: addSeconds(unit.at, verificationSec) };
      });
    });
