import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { sessionNameOf } from "../model/access/board-user.ts";
import { type BoardCaller, Unauthenticated } from "../model/access/caller.ts";
import { signInCodeSec } from "../model/access/sign-in-code.ts";
import { SessionNeedsToken } from "../model/access/web-session.ts";
import { addSeconds } from "../model/shared/instant.ts";

/**
 * Creates the code of a link that signs the caller in to a browser. Its session ends with the token at the latest.
 */
export const createLink =
  (transactor: Transactor, clock: Clock, ids: Ids, credentials: Credentials) => (caller: BoardCaller) =>
    transact(transactor, function* (stores) {
      const at = clock.now();
      const parent = yield* stores.access.lockCredential(caller.tokenId, at);
      if (parent === null) return yield* Effect.fail(new Unauthenticated());
      if (parent.kind === "session") return yield* Effect.fail(new SessionNeedsToken());
      const { text, hash } = credentials.mintCode();
      const expiresAt = addSeconds(at, signInCodeSec.open);
      yield* stores.access.insertCode({
        id: ids.next<"code">(),
        userId: caller.userId,
        purpose: "open",
        hash,
        sessionName: sessionNameOf(caller.tokenId),
        latest: parent.expiresAt,
        createdAt: at,
        expiresAt,
      });
      return { code: text, expiresAt };
    });
