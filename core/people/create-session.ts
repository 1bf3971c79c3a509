import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { useCase } from "../access/unit-of-work.ts";
import { type BoardTokenPolicy, BoardTokensNotAllowed } from "../model/access/board-token-policy.ts";
import { sessionNameOf } from "../model/access/board-user.ts";
import { type BoardCaller, Unauthenticated } from "../model/access/caller.ts";
import type { Client } from "../model/access/client.ts";
import { SessionNeedsToken } from "../model/access/web-session.ts";
import { beginSession } from "./begin-session.ts";

export interface CreateSession {
  readonly caller: BoardCaller;
  readonly client: Client;
}

/**
 * Exchanges a board token for a web session: the cookie's text and the CSRF token that its mutations must send. The
 * session ends with its token at the latest.
 */
export const createSession = (credentials: Credentials, policy: BoardTokenPolicy) =>
  useCase("access.createSession", function* (unit, { caller, client }: CreateSession) {
    const parent = yield* unit.access.lockCredential(caller.tokenId, unit.at);
    if (parent === null) return yield* Effect.fail(new Unauthenticated());
    if (parent.kind === "session") return yield* Effect.fail(new SessionNeedsToken());
    if (policy === "admins") return yield* Effect.fail(new BoardTokensNotAllowed());
    return yield* beginSession(unit, credentials, {
      userId: caller.userId,
      method: "token",
      client,
      name: sessionNameOf(caller.tokenId),
      latest: parent.expiresAt,
    });
  });
