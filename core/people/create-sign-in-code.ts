import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { UserNotFound } from "../model/access/board-user.ts";
import type { SignInPurpose } from "../model/access/sign-in-code.ts";
import type { UserId } from "../model/shared/ids.ts";
import { storeSignInCode } from "./store-sign-in-code.ts";

/**
 * Creates the code of a one-time link for a user. Only this answer contains its text. Unused codes of the same purpose
 * become invalid.
 */
export const createSignInCode =
  (transactor: Transactor, clock: Clock, ids: Ids, credentials: Credentials) =>
  (command: { readonly userId: UserId; readonly purpose: Exclude<SignInPurpose, "open"> }) =>
    transact(transactor, function* (stores) {
      const user = yield* stores.access.lockUser(command.userId);
      if (user.disabledAt !== null) yield* Effect.fail(new UserNotFound());
      return yield* storeSignInCode(stores, ids, credentials, { ...command, at: clock.now() });
    });
