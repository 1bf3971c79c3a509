import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { type Client, deviceOf } from "../model/access/client.ts";
import { refusedSignInEverySec, type SignInMethod } from "../model/access/sign-in.ts";
import type { Refusal } from "../model/shared/failure.ts";
import type { UserId } from "../model/shared/ids.ts";
import { addSeconds } from "../model/shared/instant.ts";

interface RefusedSignIn {
  readonly userId: UserId;
  readonly method: SignInMethod;
  readonly client: Client;
  readonly refusal: Refusal;
}

/** Records a refused sign-in of a known person, at most one a minute. */
export const recordRefusedSignIn = (unit: UnitOfWork, { userId, method, client, refusal }: RefusedSignIn) =>
  Effect.gen(function* () {
    if (yield* unit.access.wasRefusedSince(userId, addSeconds(unit.at, -refusedSignInEverySec))) return;
    const { code } = refusal;
    yield* unit.access.insertSignIn({
      id: unit.newId<"sign_in">(),
      userId,
      method,
      refusal: code,
      device: deviceOf(client),
      address: client.address,
      newDevice: false,
      createdAt: unit.at,
    });
    yield* unit.notices.markPerson(userId);
    const person = yield* unit.access.findPerson(userId);
    for (const companyId of person?.roles.keys() ?? [])
      yield* unit.log("member.sign_in_refused", { companyId, id: userId }, { method, refusal: code });
  });
