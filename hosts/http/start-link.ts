import { readFile } from "node:fs/promises";
import * as Effect from "effect/Effect";
import type { Boardroom } from "../composition/app.ts";

/**
 * Makes a one-time link to the board page for the user of the board token. Print it only to a terminal: a log would
 * store it. null if the token is no longer valid.
 */
export const startLink = async ({ app, boardTokenPath }: Boardroom): Promise<string | null> => {
  const token = (await readFile(boardTokenPath, "utf8").catch(() => "")).trim();
  return Effect.runPromise(
    Effect.gen(function* () {
      const owner = yield* app.views.access.boardByHash(
        app.credentials.hash(token),
        "token",
        app.clock.now(),
      );
      if (owner === null) return null;
      const { code } = yield* app.access.createSignInCode({ userId: owner.userId, purpose: "start" });
      return `${app.service.address()}/#code=${code}`;
    }).pipe(Effect.catch(() => Effect.succeed(null))),
  );
};
