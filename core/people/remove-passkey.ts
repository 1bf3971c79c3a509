import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import { PasskeyNotFound } from "../model/access/passkey.ts";
import type { PasskeyId } from "../model/shared/ids.ts";
import { logOfPerson } from "./add-passkey.ts";

export interface RemovePasskey {
  readonly passkeyId: PasskeyId;
  readonly caller: BoardCaller;
}

/** Removes a passkey of the caller, and ends the other sessions that began with it. */
export const removePasskey = useCase("access.removePasskey", function* (unit, command: RemovePasskey) {
  const { userId, tokenId: except } = command.caller;
  if (!(yield* unit.passkeys.delete(command.passkeyId, userId, { except, at: unit.at })))
    return yield* Effect.fail(new PasskeyNotFound());
  yield* logOfPerson(unit, userId, "member.passkey_removed");
  return { ok: true as const };
});
