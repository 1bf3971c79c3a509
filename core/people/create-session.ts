import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { sessionNameOf } from "../model/access/board-user.ts";
import { type BoardCaller, Unauthenticated } from "../model/access/caller.ts";
import { endsOfSession, SessionNeedsToken } from "../model/access/web-session.ts";
import type { TokenId } from "../model/shared/ids.ts";

/**
 * Exchanges a board token for a web session: the cookie's text and the CSRF token that its mutations must send. The
 * session ends with its token at the latest.
 */
export const createSession =
  (transactor: Transactor, clock: Clock, ids: Ids, credentials: Credentials) => (caller: BoardCaller) =>
    transact(transactor, function* (stores) {
      const at = clock.now();
      const parent = yield* stores.access.lockCredential(caller.tokenId, at);
      if (parent === null) return yield* Effect.fail(new Unauthenticated());
      if (parent.kind === "session") return yield* Effect.fail(new SessionNeedsToken());
      const session = credentials.mint("ses");
      const id = ids.next<"token">() as TokenId;
      const ends = endsOfSession(at, parent.expiresAt);
      yield* stores.access.insertCredential({
        id,
        userId: caller.userId,
        kind: "session",
        name: sessionNameOf(caller.tokenId),
        hash: session.hash,
        createdAt: at,
        ...ends,
      });
      return { session: session.text, csrfToken: credentials.csrfTokenOf(id), expiresAt: ends.expiresAt };
    });
