import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { useCase } from "../access/unit-of-work.ts";
import { sessionNameOf } from "../model/access/board-user.ts";
import { type BoardCaller, Unauthenticated } from "../model/access/caller.ts";
import { signInCodeSec } from "../model/access/sign-in-code.ts";
import { addSeconds } from "../model/shared/instant.ts";

/**
 * Creates the code of a link that signs the caller in to a browser. Its session ends with the token at the latest; that of a
 * link from a session, for another device, when that session would end at the latest, and with the same credential.
 */
export const createLink = (credentials: Credentials) =>
  useCase("access.createLink", function* (unit, caller: BoardCaller) {
    const parent = yield* unit.access.lockCredential(caller.tokenId, unit.at);
    if (parent === null) return yield* Effect.fail(new Unauthenticated());
    const isOfSession = parent.kind === "session";
    const { text, hash } = credentials.mintCode();
    const expiresAt = addSeconds(unit.at, signInCodeSec.open);
    yield* unit.access.insertCode({
      id: unit.newId<"code">(),
      userId: caller.userId,
      purpose: "open",
      hash,
      sessionName: isOfSession ? parent.name : sessionNameOf(caller.tokenId),
      latest: isOfSession ? parent.endsAt : parent.expiresAt,
      createdAt: unit.at,
      expiresAt,
    });
    return { code: text, expiresAt };
  });
