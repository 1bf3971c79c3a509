import * as Effect from "effect/Effect";
import { transact, type UseCaseContext } from "../access/unit-of-work.ts";
import { actorOf, type BoardCaller } from "../model/access/caller.ts";
import { PasskeyNeedsSession, PasskeyNotAccepted } from "../model/access/passkey.ts";
import { verificationSec } from "../model/access/verification.ts";
import { addSeconds } from "../model/shared/instant.ts";
import { acceptSignature, answeringPasskey, type PasskeyAnswer, type PasskeyIo } from "./passkey-ceremony.ts";

export interface VerifyByPasskey extends PasskeyAnswer {
  readonly caller: BoardCaller;
}

/** Records that the person at a web session has verified themselves with a passkey of their own. */
export const verifyByPasskey =
  (context: UseCaseContext, io: PasskeyIo) =>
  ({ caller, ...answer }: VerifyByPasskey) =>
    Effect.gen(function* () {
      if (!caller.session) return yield* Effect.fail(new PasskeyNeedsSession());
      const answered = yield* answeringPasskey(context, io, answer);
      const { passkey, challenge } = answered;
      if (passkey.userId !== caller.userId) return yield* Effect.fail(new PasskeyNotAccepted());
      const counter = yield* answered.counter;
      return yield* transact(context, "access.verifyByPasskey", actorOf(caller), function* (unit) {
        if (!(yield* acceptSignature(unit, passkey, { challenge, counter })))
          return yield* Effect.fail(new PasskeyNotAccepted());
        yield* unit.passkeys.recordVerification(caller.tokenId, unit.at);
        return { verifiedUntil: addSeconds(unit.at, verificationSec) };
      });
    });
