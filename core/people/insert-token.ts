import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import type { TokenId, UserId } from "../model/shared/ids.ts";

export interface NewToken {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly name: string;
  readonly expiresAt?: string | null | undefined;
}

/** Stores a board token of a user who may have one. Only this answer contains its text. */
export const insertToken = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  credentials: Credentials,
  { id, userId, name, expiresAt = null }: NewToken,
) {
  const { text, hash } = credentials.mint("brd");
  const token = { id, userId, name, createdAt: unit.at, expiresAt };
  yield* unit.access.insertCredential({ ...token, kind: "token", hash, endsAt: null });
  return { ...token, token: text };
});
