import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { addSeconds } from "../shared/instant.ts";
import { sessionNameOf } from "./board-user.ts";
import { type BoardCaller, Unauthenticated } from "./caller.ts";

/** How long a web session lasts. */
const sessionSec = 12 * 60 * 60;

/**
 * Exchanges a board token for a web session: the cookie's text and the CSRF token that its mutations must send. It ends
 * with its token at the latest, and one made in a session with that session.
 */
export const createSession =
  (transactor: Transactor, clock: Clock, ids: Ids, credentials: Credentials) => (caller: BoardCaller) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const at = clock.now();
        const parent = yield* stores.access.lockCredential(caller.tokenId, at);
        if (parent === null) return yield* Effect.fail(new Unauthenticated());
        const session = credentials.mint("ses");
        const csrf = credentials.mint("csrf");
        const longest = addSeconds(at, sessionSec);
        const expiresAt =
          parent.expiresAt !== null && parent.expiresAt < longest ? parent.expiresAt : longest;
        yield* stores.access.insertCredential({
          id: ids.next<"token">(),
          userId: caller.userId,
          kind: "session",
          name: parent.kind === "session" ? parent.name : sessionNameOf(caller.tokenId),
          hash: session.hash,
          csrfHash: csrf.hash,
          createdAt: at,
          expiresAt,
        });
        return { session: session.text, csrfToken: csrf.text, expiresAt };
      }),
    );
