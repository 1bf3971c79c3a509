import { randomUUID } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import * as Effect from "effect/Effect";
import { type Workspaces, WorkspaceUnusable } from "../../ports/workspaces.ts";
import type { AgentUsers } from "./agent-users.ts";

/** Creates workspaces below a folder of the service, each owned by the user of its agent. */
export const agentWorkspaces = (folder: string, users: AgentUsers): Workspaces => ({
  prepare: Effect.fnUntraced(function* (agent, configured) {
    const { user, env } = yield* users.of(agent.companyId);
    if (configured === null) {
      const cwd = join(folder, agent.id);
      yield* users.folder(cwd, user);
      return { cwd, user, env };
    }
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
      ? { cwd: configured, user, env }
      : yield* Effect.fail(new WorkspaceUnusable(`There is no folder ${configured} to work in; create it.`));
  }),
  lend: Effect.fnUntraced(function* (companyId) {
    const { user, env } = yield* companyId === null ? users.ofPackages() : users.of(companyId);
    const cwd = join(folder, `probe-${randomUUID()}`);
    yield* Effect.acquireRelease(users.folder(cwd, user), () =>
      Effect.promise(() => rm(cwd, { recursive: true, force: true }).catch(() => undefined)),
    );
    return { cwd, user, env };
  }),
});
