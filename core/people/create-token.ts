import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { useCase } from "../access/unit-of-work.ts";
import { type BoardTokenPolicy, refusalOfBoardToken } from "../model/access/board-token-policy.ts";
import { ReferenceNotFound } from "../model/shared/failure.ts";
import { insertToken, type NewToken } from "./insert-token.ts";

/** Creates a board token. Only this answer contains its text. */
export const createToken = (credentials: Credentials, policy: BoardTokenPolicy) =>
  useCase("access.createToken", function* (unit, command: NewToken) {
    const user = yield* unit.access
      .lockUser(command.userId)
      .pipe(Effect.mapError(() => ReferenceNotFound.at("userId")));
    if (user.disabledAt !== null) yield* Effect.fail(ReferenceNotFound.at("userId"));
    const refusal = refusalOfBoardToken(policy, user);
    if (refusal !== null) yield* Effect.fail(refusal);
    return yield* insertToken(unit, credentials, command);
  });
