import * as Effect from "effect/Effect";
import { transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import type { Client } from "../model/access/client.ts";
import { PasskeyNotValid, passkeySessionName } from "../model/access/passkey.ts";
import { beginSession } from "./begin-session.ts";
import { acceptSignature, answeringPasskey, type PasskeyAnswer, type PasskeyIo } from "./passkey-ceremony.ts";
import { recordRefusedSignIn } from "./record-refused-sign-in.ts";

export interface SignInByPasskey extends PasskeyAnswer {
  readonly client: Client;
}

/** Exchanges the answer of an authenticator for a web session of the person whose passkey it is. */
export const signInByPasskey =
  (context: UseCaseContext, io: PasskeyIo) =>
  ({ client, ...answer }: SignInByPasskey) =>
    Effect.gen(function* () {
      const refusal = new PasskeyNotValid();
      const answered = yield* answeringPasskey(context, io, answer).pipe(
        Effect.mapError((error) => (error.code === "passkeys_unavailable" ? error : refusal)),
      );
      const { passkey, challenge } = answered;
      const { id, userId } = passkey;
      const counter = yield* answered.counter.pipe(Effect.catch(() => Effect.succeed(null)));
      // Refuses after the commit: a refused sign-in of a known person is recorded.
      const session = yield* transactAsSystem(context, "access.signInByPasskey", function* (unit) {
        const user = yield* unit.access.lockUser(userId).pipe(Effect.orDie);
        const isAccepted =
          counter !== null &&
          user.disabledAt === null &&
          (yield* acceptSignature(unit, passkey, { challenge, counter }));
        const method = "passkey";
        if (!isAccepted) {
          yield* recordRefusedSignIn(unit, { userId, method, client, refusal });
          return null;
        }
        const name = passkeySessionName(id);
        return yield* beginSession(unit, io.credentials, { userId, method, client, name, latest: null });
      });
      return session === null ? yield* Effect.fail(refusal) : session;
    });
