import { open, readFile, rename } from "node:fs/promises";
import * as Effect from "effect/Effect";
import type { App } from "../api/endpoint/app.ts";
import type { Log } from "./log.ts";

/**
 * Gives the owner of the data directory access: the first start makes the first board user, an instance admin, and a
 * start without the file writes a fresh token for it (0600). A user who can write there controls the service anyway, so
 * this grants no additional access. A file that is empty, as after a power loss, or has a token that the database never had,
 * as with a new DATABASE_URL, is replaced. One with a token that was revoked or has expired stays: somebody meant that.
 */
export const boardToken = (app: App, path: string, log: Log) =>
  Effect.gen(function* () {
    const present = yield* Effect.promise(() => readIfThere(path));
    if (present !== null && (yield* isKnown(app, present))) return;
    if (present !== null)
      log.warn({ path }, "the board token is empty or from another database; creating a new one");
    const { token } = yield* app.access
      .createFirstToken({ name: `board-token of ${path}` })
      .pipe(Effect.orDie);
    // The rename makes the file appear whole. After a crash before it, the next start tries again.
    const draft = `${path}.draft`;
    yield* Effect.promise(async () => {
      const file = await open(draft, "w", 0o600);
      try {
        await file.writeFile(`${token}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
    });
  });

const isKnown = (app: App, token: string): Effect.Effect<boolean> =>
  token === "" ? Effect.succeed(false) : app.views.access.hasBoardToken(app.credentials.hash(token));

const readIfThere = async (path: string): Promise<string | null> => {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
};
