import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { TokenNotFound } from "../model/access/board-user.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import type { TokenId } from "../model/shared/ids.ts";

export const revokeToken =
  (transactor: Transactor, clock: Clock) =>
  (command: { readonly tokenId: TokenId; readonly by: BoardCaller }) =>
    transact(transactor, function* (stores) {
      const owner = command.by.admin ? null : command.by.userId;
      if (!(yield* stores.access.revokeCredential(command.tokenId, owner, clock.now())))
        yield* Effect.fail(new TokenNotFound());
      return { ok: true as const };
    });
