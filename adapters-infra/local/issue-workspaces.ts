import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rmdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import * as Effect from "effect/Effect";
import type { VolumeId } from "../../core/model/shared/ids.ts";
import type { IssueWorkspaces, WorkspaceFolder } from "../../ports/issue-workspaces.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import type { AgentUsers } from "./agent-users.ts";
import { scratchOf, workspaceSteps } from "./workspace-steps.ts";

export interface IssueWorkspacesOptions {
  readonly volume: VolumeId;
  /** Below the data directory; the service's own. */
  readonly folder: string;
  /** Of the agents' own folders. */
  readonly workspaces: string;
  /** Of the homes, one per company. */
  readonly homes: string;
  /** Of the folders in which files are laid out for agents' programs. */
  readonly files: string;
  /** The part of the service's environment that agents' programs get. */
  readonly env: Readonly<Record<string, string>>;
  readonly processes: ProcessRunner;
}

const removalMs = 30 * 60_000;
const asideMs = 30 * 24 * 3_600_000;
/** Longer than any command lasts. */
const temporaryMs = 6 * 3_600_000;

/** Workspaces of issues below a folder of the service: in each, `work` and `scratch` are the agents'. */
export const issueWorkspaces = (options: IssueWorkspacesOptions, users: AgentUsers): IssueWorkspaces => {
  const trash = join(options.folder, ".trash");
  const aside = join(options.folder, ".aside");
  const temporary = join(options.folder, ".temporary");
  const rootOf = ({ companyId, id, isTemporary = false }: WorkspaceFolder) =>
    join(isTemporary ? temporary : options.folder, companyId, id);
  const workOf = (folder: WorkspaceFolder) => join(rootOf(folder), "work");
  return {
    volume: options.volume,
    discardsAtOnce: true,
    open: Effect.fnUntraced(function* (agent, folder, sharedObjects) {
      const { companyId } = folder;
      const { user, env } = yield* users.of(companyId);
      const work = workOf(folder);
      const scratch = scratchOf(work);
      for (const path of [work, scratch]) yield* users.folder(path, user);
      const own = agent === null ? null : join(options.workspaces, agent.id);
      if (own !== null) yield* users.folder(own, user);
      return {
        companyId,
        agentId: agent?.id ?? null,
        cwd: work,
        own: own === null ? [work, scratch] : [work, scratch, own, join(options.homes, companyId)],
        reads: sharedObjects,
        granted: agent?.grantedPaths ?? [],
        files: join(options.files, agent?.id ?? `tree-${folder.id}`),
        user,
        env: {
          ...options.env,
          ...env,
          // Settings that one agent makes for all its git are no other agent's of the company.
          ...(own === null ? { HOME: scratch } : { GIT_CONFIG_GLOBAL: join(scratch, "gitconfig") }),
        },
        ...(own === null ? {} : { agentFolder: own }),
      };
    }),
    isThere: (folder) =>
      Effect.promise(() =>
        stat(workOf(folder)).then(
          () => true,
          () => false,
        ),
      ),
    discard: (folder, name = randomUUID()) =>
      Effect.promise(async () => {
        await mkdir(trash, { recursive: true, mode: 0o700 });
        await rename(rootOf(folder), join(trash, `${folder.id}-${name}`)).catch((error) => {
          if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(error.code)) throw error;
        });
      }),
    setAside: (folder) =>
      Effect.promise(async () => {
        const to = join(aside, `${folder.id}-${Date.now()}`);
        await mkdir(aside, { recursive: true, mode: 0o700 });
        await rename(rootOf(folder), to);
        return to;
      }),
    emptyTrash: () =>
      Effect.promise(async () => {
        await mkdir(trash, { recursive: true, mode: 0o700 });
        for (const name of await readdir(aside).catch(() => []))
          if (Date.now() - Number(/\d+$/.exec(name)?.[0]) > asideMs)
            await rename(join(aside, name), join(trash, name)).catch(() => undefined);
        for (const path of await foldersBelow(temporary))
          if (Date.now() - (await stat(path)).mtimeMs > temporaryMs)
            await rename(path, join(trash, basename(path))).catch(() => undefined);
        for (const name of await readdir(trash).catch(() => [])) await removeWhole(join(trash, name));
      }),
    ...workspaceSteps(options.processes, { borrowsObjects: true }),
  };
};

/** The folders of companies hold one for each workspace; both are the service's. */
const foldersBelow = async (folder: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const company of await readdir(folder).catch(() => []))
    for (const name of await readdir(join(folder, company))) found.push(join(folder, company, name));
  return found;
};

/** Nobody but the service reaches the trash, so that nothing changes the folder meanwhile. */
const removeWhole = async (folder: string): Promise<void> => {
  const script = "chmod -R u+rwx . 2>/dev/null; exec find . -mindepth 1 -delete";
  await promisify(execFile)("/bin/sh", ["-c", script], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin" },
    timeout: removalMs,
    killSignal: "SIGKILL",
  }).catch(() => undefined);
  await rmdir(folder).catch(() => undefined);
};
