import * as Effect from "effect/Effect";
import { transact, type UseCaseContext } from "../access/unit-of-work.ts";
import { actorOf, type BoardCaller } from "../model/access/caller.ts";
import { PasskeyNeedsSession } from "../model/access/passkey.ts";
import { beginCeremony, type PasskeyIo } from "./passkey-ceremony.ts";

/** Begins the registration of a passkey of the caller: the options for the browser, and what it must send back. */
export const beginPasskeyRegistration = (context: UseCaseContext, io: PasskeyIo) => (caller: BoardCaller) =>
  Effect.gen(function* () {
    const { userId, name, tokenId } = caller;
    if (!caller.session) return yield* Effect.fail(new PasskeyNeedsSession());
    const { party, flow, challenge } = yield* beginCeremony(io, `registration ${tokenId}`);
    const own = yield* transact(
      context,
      "access.beginPasskeyRegistration",
      actorOf(caller),
      function* (unit) {
        return yield* unit.passkeys.of(userId);
      },
    );
    const existing = own.map(({ credentialId }) => credentialId);
    const options = yield* io.passkeys.registrationOptions(party, { userId, name, challenge, existing });
    return { flow, options };
  });
