import * as Effect from "effect/Effect";
import type { Attestation } from "../../ports/passkeys.ts";
import { transact, type UnitOfWork, type UseCaseContext } from "../access/unit-of-work.ts";
import { actorOf, type BoardCaller } from "../model/access/caller.ts";
import {
  mostPasskeys,
  PasskeyNeedsSession,
  PasskeyNotAccepted,
  TooManyPasskeys,
} from "../model/access/passkey.ts";
import type { PasskeyId, UserId } from "../model/shared/ids.ts";
import { ceremonyOf, type PasskeyIo, useChallenge } from "./passkey-ceremony.ts";

export interface AddPasskey {
  readonly id: PasskeyId;
  readonly name: string;
  readonly flow: string;
  readonly attestation: Attestation;
  readonly caller: BoardCaller;
}

/** Registers a passkey that an authenticator has made for the caller. */
export const addPasskey =
  (context: UseCaseContext, io: PasskeyIo) =>
  ({ id, name, flow, attestation, caller }: AddPasskey) =>
    Effect.gen(function* () {
      const { userId, tokenId } = caller;
      if (!caller.session) return yield* Effect.fail(new PasskeyNeedsSession());
      const { party, challenge } = yield* ceremonyOf(io, `registration ${tokenId}`, flow);
      const made = yield* io.passkeys.verifyRegistration(party, challenge, attestation);
      return yield* transact(context, "access.addPasskey", actorOf(caller), function* (unit) {
        yield* unit.access.lockUser(userId).pipe(Effect.orDie);
        if ((yield* unit.passkeys.of(userId)).length >= mostPasskeys)
          return yield* Effect.fail(new TooManyPasskeys());
        if (!(yield* useChallenge(unit, challenge))) return yield* Effect.fail(new PasskeyNotAccepted());
        const passkey = { id, name, createdAt: unit.at, lastUsedAt: null };
        yield* unit.passkeys.insert({ ...passkey, ...made, userId });
        yield* logOfPerson(unit, userId, "member.passkey_added");
        return passkey;
      });
    });

/** Adds an entry to the activity of each company of the person. */
export const logOfPerson = (
  unit: UnitOfWork,
  userId: UserId,
  action: "member.passkey_added" | "member.passkey_removed",
) =>
  Effect.gen(function* () {
    const person = yield* unit.access.findPerson(userId);
    for (const companyId of person?.roles.keys() ?? [])
      yield* unit.log(action, { companyId, id: userId }, {});
  });
