import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import { TokenNotFound } from "../model/access/board-user.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import type { TokenId } from "../model/shared/ids.ts";

export interface RevokeToken {
  readonly tokenId: TokenId;
  readonly by: BoardCaller;
}

export const revokeToken = useCase("access.revokeToken", function* (unit, command: RevokeToken) {
  const owner = command.by.admin ? null : command.by.userId;
  if (!(yield* unit.access.revokeCredential(command.tokenId, owner, unit.at)))
    yield* Effect.fail(new TokenNotFound());
  return { ok: true as const };
});
