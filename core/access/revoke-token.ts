import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { TokenId } from "../shared/ids.ts";
import { TokenNotFound } from "./board-user.ts";
import type { BoardCaller } from "./caller.ts";
import { transact } from "./transact-as.ts";

export const revokeToken =
  (transactor: Transactor, clock: Clock) =>
  (command: { readonly tokenId: TokenId; readonly by: BoardCaller }) =>
    transact(transactor, function* (stores) {
      const owner = command.by.admin ? null : command.by.userId;
      if (!(yield* stores.access.revokeCredential(command.tokenId, owner, clock.now())))
        yield* Effect.fail(new TokenNotFound());
      return { ok: true as const };
    });
