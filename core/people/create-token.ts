import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { ReferenceNotFound } from "../model/shared/failure.ts";
import type { TokenId, UserId } from "../model/shared/ids.ts";

/** Creates a board token. Only this answer contains its text. */
export const createToken =
  (transactor: Transactor, clock: Clock, credentials: Credentials) =>
  (command: {
    readonly id: TokenId;
    readonly userId: UserId;
    readonly name: string;
    readonly expiresAt?: string | null | undefined;
  }) =>
    transact(transactor, function* (stores) {
      const user = yield* stores.access
        .lockUser(command.userId)
        .pipe(Effect.mapError(() => ReferenceNotFound.at("userId")));
      if (user.disabledAt !== null) yield* Effect.fail(ReferenceNotFound.at("userId"));
      const { text, hash } = credentials.mint("brd");
      const token = {
        id: command.id,
        userId: user.id,
        name: command.name,
        createdAt: clock.now(),
        expiresAt: command.expiresAt ?? null,
      };
      yield* stores.access.insertCredential({ ...token, kind: "token", hash, endsAt: null });
      return { ...token, token: text };
    });
