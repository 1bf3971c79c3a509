import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm, rmdir, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import * as Effect from "effect/Effect";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import { type Workspaces, WorkspaceUnusable } from "../../ports/workspaces.ts";
import type { AgentUsers } from "./agent-users.ts";

export interface AgentWorkspacesOptions {
  /** Of the agents' own folders. */
  readonly folder: string;
  /** Of the folders, one per agent, in which files are laid out for their programs. */
  readonly files: string;
  /** The part of the service's environment that agents' programs get. */
  readonly env: Readonly<Record<string, string>>;
}

/** Creates workspaces below a folder of the service, each owned by the user of its agent. */
export const agentWorkspaces = (options: AgentWorkspacesOptions, users: AgentUsers): Workspaces => ({
  prepare: Effect.fnUntraced(function* ({ id: agentId, companyId }, configured) {
    const { user, env } = yield* users.of(companyId);
    const own = {
      companyId,
      agentId,
      files: join(options.files, agentId),
      user,
      env: { ...options.env, ...env },
    };
    if (configured === null) {
      const cwd = join(options.folder, agentId);
      yield* users.folder(cwd, user);
      return { ...own, cwd };
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
      ? { ...own, cwd: configured }
      : yield* Effect.fail(new WorkspaceUnusable(`There is no folder ${configured} to work in; create it.`));
  }),
  lend: Effect.fnUntraced(function* (companyId) {
    const { user, env } = yield* companyId === null ? users.ofPackages() : users.of(companyId);
    const name = `probe-${randomUUID()}`;
    const cwd = join(options.folder, name);
    const files = join(options.files, name);
    yield* Effect.acquireRelease(users.folder(cwd, user), () =>
      Effect.promise(async () => {
        await removeLent(cwd, user);
        await rm(files, { recursive: true, force: true }).catch(() => undefined);
      }),
    );
    return { companyId, agentId: null, cwd, files, user, env: { ...options.env, ...env } };
  }),
});

const removalMs = 60_000;

/**
 * Removes a folder that programs have written into, as their user: while one of its processes changes the folder, a
 * removal by the service could follow a link out of it.
 */
const removeLent = async (folder: string, user: AgentUser | null): Promise<void> => {
  const removed = await rmdir(folder).then(
    () => true,
    () => false,
  );
  if (removed) return;
  const script = "chmod -R u+rwx . 2>/dev/null; exec find . -mindepth 1 -delete";
  await promisify(execFile)("/bin/sh", ["-c", script], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin" },
    timeout: removalMs,
    killSignal: "SIGKILL",
    ...user,
  }).catch(() => undefined);
  await rmdir(folder).catch(() => undefined);
};
