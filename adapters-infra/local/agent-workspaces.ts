import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm, rmdir, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import * as Effect from "effect/Effect";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import { type ProgramViews, ViewRefused } from "../../ports/sandbox.ts";
import { type Workspaces, WorkspaceUnusable } from "../../ports/workspaces.ts";
import type { AgentUsers } from "./agent-users.ts";

export interface AgentWorkspacesOptions {
  /** Of the agents' own folders. */
  readonly folder: string;
  /** Of the homes, one per company. */
  readonly homes: string;
  readonly views: Pick<ProgramViews, "viewOf">;
  /** Of the folders, one per agent, in which files are laid out for their programs. */
  readonly files: string;
  /** The part of the service's environment that agents' programs get. */
  readonly env: Readonly<Record<string, string>>;
}

/** Creates workspaces below a folder of the service, each owned by the user of its agent. */
export const agentWorkspaces = (options: AgentWorkspacesOptions, users: AgentUsers): Workspaces => ({
  prepare: Effect.fnUntraced(function* ({ id: agentId, companyId, grantedPaths: granted }, configured) {
    const { user, env } = yield* users.of(companyId);
    const folder = join(options.folder, agentId);
    const workspace = {
      companyId,
      agentId,
      cwd: configured ?? folder,
      own: [folder, join(options.homes, companyId)],
      granted,
      files: join(options.files, agentId),
      user,
      env: { ...options.env, ...env },
    };
    if (configured === null) {
      yield* users.folder(folder, user);
      return workspace;
    }
    if (!isAbsolute(configured))
      return yield* Effect.fail(
        new WorkspaceUnusable(`The working directory ${configured} must be an absolute path.`),
      );
    const view = options.views.viewOf({ workspace, ...workspace, command: "", reads: [] });
    if (view instanceof ViewRefused) return yield* Effect.fail(new WorkspaceUnusable(view.message));
    const isFolder = yield* Effect.promise(() =>
      stat(view.locate(configured) ?? configured).then(
        (found) => found.isDirectory(),
        () => false,
      ),
    );
    return isFolder
      ? workspace
      : yield* Effect.fail(new WorkspaceUnusable(`There is no folder ${configured} to work in; create it.`));
  }),
  temporary: Effect.fnUntraced(function* (companyId) {
    const { user, env } = yield* companyId === null ? users.ofPackages() : users.of(companyId);
    const name = `probe-${randomUUID()}`;
    const cwd = join(options.folder, name);
    const files = join(options.files, name);
    yield* Effect.acquireRelease(users.folder(cwd, user), () =>
      Effect.promise(async () => {
        await removeTemporary(cwd, user);
        await rm(files, { recursive: true, force: true }).catch(() => undefined);
      }),
    );
    return {
      companyId,
      agentId: null,
      cwd,
      own: companyId === null ? [cwd] : [cwd, join(options.homes, companyId)],
      granted: [],
      files,
      user,
      // A package's code gets no home of anybody.
      env: { ...options.env, ...env, ...(companyId === null ? { HOME: cwd } : {}) },
    };
  }),
});

const removalMs = 60_000;

/**
 * Removes a folder that programs have written into, as their user: while one of its processes changes the folder, a
 * removal by the service could follow a link out of it.
 */
const removeTemporary = async (folder: string, user: AgentUser | null): Promise<void> => {
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
