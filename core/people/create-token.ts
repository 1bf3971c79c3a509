import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { useCase } from "../access/unit-of-work.ts";
import { type BoardTokenPolicy, refusalOfBoardToken } from "../model/access/board-token-policy.ts";
import { ReferenceNotFound } from "../model/shared/failure.ts";
import type { TokenId, UserId } from "../model/shared/ids.ts";

export interface CreateToken {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly name: string;
  readonly expiresAt?: string | null | undefined;
}

/** Creates a board token. Only this answer contains its text. */
export const createToken = (credentials: Credentials, policy: BoardTokenPolicy) =>
  useCase("access.createToken", function* (unit, command: CreateToken) {
    const user = yield* unit.access
      .lockUser(command.userId)
      .pipe(Effect.mapError(() => ReferenceNotFound.at("userId")));
    if (user.disabledAt !== null) yield* Effect.fail(ReferenceNotFound.at("userId"));
    const refusal = refusalOfBoardToken(policy, user);
    if (refusal !== null) yield* Effect.fail(refusal);
    const { text, hash } = credentials.mint("brd");
    const token = {
      id: command.id,
      userId: user.id,
      name: command.name,
      createdAt: unit.at,
      expiresAt: command.expiresAt ?? null,
    };
    yield* unit.access.insertCredential({ ...token, kind: "token", hash, endsAt: null });
    return { ...token, token: text };
  });
