import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { useCase } from "../access/unit-of-work.ts";
import { sessionNameOf } from "../model/access/board-user.ts";
import { type BoardCaller, Unauthenticated } from "../model/access/caller.ts";
import { signInCodeSec } from "../model/access/sign-in-code.ts";
import { SessionNeedsToken } from "../model/access/web-session.ts";
import { addSeconds } from "../model/shared/instant.ts";

/**
 * Creates the code of a link that signs the caller in to a browser. Its session ends with the token at the latest.
 */
export const createLink = (credentials: Credentials) =>
  useCase("access.createLink", function* (unit, caller: BoardCaller) {
    const parent = yield* unit.access.lockCredential(caller.tokenId, unit.at);
    if (parent === null) return yield* Effect.fail(new Unauthenticated());
    if (parent.kind === "session") return yield* Effect.fail(new SessionNeedsToken());
    const { text, hash } = credentials.mintCode();
    const expiresAt = addSeconds(unit.at, signInCodeSec.open);
    yield* unit.access.insertCode({
      id: unit.newId<"code">(),
      userId: caller.userId,
      purpose: "open",
      hash,
      sessionName: sessionNameOf(caller.tokenId),
      latest: parent.expiresAt,
      createdAt: unit.at,
      expiresAt,
    });
    return { code: text, expiresAt };
  });
