import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { useCase } from "../access/unit-of-work.ts";
import { UserNotFound } from "../model/access/board-user.ts";
import type { SignInPurpose } from "../model/access/sign-in-code.ts";
import type { UserId } from "../model/shared/ids.ts";
import { storeSignInCode } from "./store-sign-in-code.ts";

export interface CreateSignInCode {
  readonly userId: UserId;
  readonly purpose: Exclude<SignInPurpose, "open">;
}

/**
 * Creates the code of a one-time link for a user. Only this answer contains its text. Unused codes of the same purpose
 * become invalid.
 */
export const createSignInCode = (credentials: Credentials) =>
  useCase("access.createSignInCode", function* (unit, command: CreateSignInCode) {
    const user = yield* unit.access.lockUser(command.userId);
    if (user.disabledAt !== null) yield* Effect.fail(new UserNotFound());
    return yield* storeSignInCode(unit, credentials, command);
  });
