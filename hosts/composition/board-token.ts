import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import * as Effect from "effect/Effect";
import type { BoardUser } from "../../core/model/access/board-user.ts";
import type { TokenId, UserId } from "../../core/model/shared/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { App } from "../api/endpoint/app.ts";

/**
 * Gives the owner of the data directory access: the first start makes the first board user, an instance admin, and a
 * start without the file writes a fresh token for it (0600). A user who can write there controls the service anyway, so
 * this grants no additional access.
 */
export const boardToken = (app: App, transactor: Transactor, path: string) =>
  Effect.gen(function* () {
    if (existsSync(path)) return;
    const userId = yield* firstAdmin(app, transactor);
    const { token } = yield* app.access
      .createToken({ id: app.ids.newId<"token">() as TokenId, userId, name: `board-token of ${path}` })
      .pipe(Effect.orDie);
    // The rename makes the file appear whole. After a crash before it, the next start tries again.
    const draft = `${path}.draft`;
    yield* Effect.promise(async () => {
      await writeFile(draft, `${token}\n`, { mode: 0o600 });
      await rename(draft, path);
    });
  });

/** Makes the first board user, or finds it where another service that starts on the same database has made it. */
const firstAdmin = (app: App, transactor: Transactor) =>
  transactor.transact(({ access }) =>
    Effect.gen(function* () {
      const [first] = yield* access.lockAdmins();
      if (first !== undefined) return first;
      const user: BoardUser = {
        id: app.ids.newId<"user">() as UserId,
        name: "board",
        admin: true,
        createdAt: app.clock.now(),
        disabledAt: null,
      };
      yield* access.insertUser(user);
      return user.id;
    }),
  );
