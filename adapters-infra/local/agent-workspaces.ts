import { mkdir, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import * as Effect from "effect/Effect";
import { type Workspaces, WorkspaceUnusable } from "../../ports/workspaces.ts";

/** Folders below one of the service's. The process runner hands them to whoever agents' programs run as. */
export const agentWorkspaces = (folder: string): Workspaces => ({
  prepare: (agentId, configured) =>
    configured === null
      ? Effect.promise(async () => {
          const path = join(folder, agentId);
          await mkdir(path, { recursive: true, mode: 0o700 });
          return path;
        })
      : Effect.gen(function* () {
          if (!isAbsolute(configured))
            return yield* Effect.fail(
              new WorkspaceUnusable(`The working directory ${configured} must be an absolute path.`),
            );
          const isFolder = yield* Effect.promise(() =>
            stat(configured).then(
              (found) => found.isDirectory(),
              () => false,
            ),
          );
          return isFolder
            ? configured
            : yield* Effect.fail(
                new WorkspaceUnusable(`There is no folder ${configured} to work in; create it.`),
              );
        }),
});
