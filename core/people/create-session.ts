import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { useCase } from "../access/unit-of-work.ts";
import { sessionNameOf } from "../model/access/board-user.ts";
import { type BoardCaller, Unauthenticated } from "../model/access/caller.ts";
import { endsOfSession, SessionNeedsToken } from "../model/access/web-session.ts";
import type { TokenId } from "../model/shared/ids.ts";

/**
 * Exchanges a board token for a web session: the cookie's text and the CSRF token that its mutations must send. The
 * session ends with its token at the latest.
 */
export const createSession = (credentials: Credentials) =>
  useCase("access.createSession", function* (unit, caller: BoardCaller) {
    const parent = yield* unit.access.lockCredential(caller.tokenId, unit.at);
    if (parent === null) return yield* Effect.fail(new Unauthenticated());
    if (parent.kind === "session") return yield* Effect.fail(new SessionNeedsToken());
    const session = credentials.mint("ses");
    const id = unit.newId<"token">() as TokenId;
    const ends = endsOfSession(unit.at, parent.expiresAt);
    yield* unit.access.insertCredential({
      id,
      userId: caller.userId,
      kind: "session",
      name: sessionNameOf(caller.tokenId),
      hash: session.hash,
      createdAt: unit.at,
      ...ends,
    });
    return { session: session.text, csrfToken: credentials.csrfTokenOf(id), expiresAt: ends.expiresAt };
  });
