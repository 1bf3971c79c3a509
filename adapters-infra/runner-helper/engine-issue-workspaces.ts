import { randomUUID } from "node:crypto";
import { join } from "node:path/posix";
import * as Effect from "effect/Effect";
import type { InstallationId, VolumeId } from "../../core/model/shared/ids.ts";
import { clause } from "../../core/model/shared/sentence.ts";
import {
  type IssueWorkspaces,
  type WorkspaceFolder,
  WorkspaceStepFailed,
} from "../../ports/issue-workspaces.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import type { EngineVolume, Workspace } from "../../ports/workspaces.ts";
import { workspaceSteps } from "../local/workspace-steps.ts";
import { inEngine, workFolder } from "./engine-workspaces.ts";
import { pause } from "./follow-log.ts";
import { labelOf, objectName, ofInstallation, ownerLabels } from "./labels.ts";

/** The calls about volumes that differ from engine to engine. All throw while the engine is away, or refuses. */
export interface EngineVolumes {
  /** null if none exists. */
  inspect(name: string): Promise<FoundVolume | null>;
  /** Those with all of the labels. */
  find(labels: readonly string[]): Promise<readonly FoundVolume[]>;
  /** Begins to delete that volume, not another of its name; one that a program uses stays. Asked again until it is gone. */
  remove(volume: FoundVolume): Promise<void>;
}

/** A volume as the engine knows it. */
export interface FoundVolume {
  readonly name: string;
  /** Tells it from an earlier one of its name. */
  readonly uid: string;
  /** In milliseconds since 1970. */
  readonly madeAt: number;
}

const treesFolder = "/boardroom/trees";
const asideFolder = "/boardroom/aside";
const treeLabel = "boardroom.tree";
const temporaryLabel = "boardroom.temporary";
const asideLabel = "boardroom.aside";

const againMs = 500;
/** Also for some hundred thousand files. */
const removalMs = 10 * 60_000;
const asideMs = 30 * 24 * 3_600_000;
const copySec = 1_800;
/** Longer than any command lasts. */
const temporaryMs = 6 * 3_600_000;

const copyAll = 'chmod -R u+rwX "$1" 2>/dev/null; cp -a "$1/." "$2/"';

/** Workspaces of issues on an engine: a volume for each, in whose programs nothing of the service's disk is seen. */
export const engineIssueWorkspaces = (
  installation: InstallationId,
  processes: ProcessRunner,
  volumes: EngineVolumes,
): IssueWorkspaces => {
  const { nameOf, ownerOf, volumeOf } = volumesOf(installation);
  const remove = async (volume: FoundVolume): Promise<void> => {
    const { signal } = new AbortController();
    const until = performance.now() + removalMs;
    for (let why = "a program uses it"; ; await pause(againMs, signal)) {
      try {
        await volumes.remove(volume);
        if ((await volumes.inspect(volume.name))?.uid !== volume.uid) return;
      } catch (error) {
        why = (error as Error).message;
      }
      if (performance.now() > until) throw new Error(`The volume ${volume.name} is not deleted: ${why}`);
    }
  };
  const removeOld = async (label: string, ms: number): Promise<void> => {
    for (const volume of await volumes.find(ofInstallation(installation, label)))
      if (Date.now() - volume.madeAt > ms) await volumes.remove(volume);
  };
  return {
    volume: processes.scope as VolumeId,
    discardsAtOnce: false,
    open: (agent, folder) => Effect.succeed(workspaceOf(agent, folder, [volumeOf(folder)])),
    isThere: (folder) => asked(async () => (await volumes.inspect(nameOf(folder))) !== null),
    discard: (folder) =>
      asked(async () => {
        const found = await volumes.inspect(nameOf(folder));
        if (found !== null) await remove(found);
      }),
    setAside: Effect.fnUntraced(function* (folder) {
      const runId = randomUUID();
      const name = objectName(installation, "aside", labelOf(folder.id), runId.slice(0, 8));
      const aside: EngineVolume = {
        name,
        labels: { [asideLabel]: labelOf(folder.id), ...ownerOf(folder) },
        path: asideFolder,
        folders: ["work"],
      };
      const workspace = workspaceOf(null, folder, [volumeOf(folder), aside]);
      const outcome = yield* processes.run(
        {
          command: "/bin/sh",
          args: ["-c", copyAll, "sh", workspace.cwd, join(asideFolder, "work")],
          timeoutSec: copySec,
          graceSec: 2,
        },
        {
          runId: `aside.${runId}`,
          workspace,
          env: workspace.env,
          stop: new AbortController().signal,
          onStarted: () => Effect.void,
          onOutput: () => Effect.void,
        },
      );
      if (outcome.exitCode === 0) return `the volume ${name}`;
      const why = outcome.startError ?? outcome.stderrTail.trim();
      return yield* Effect.fail(
        new WorkspaceStepFailed(
          `Files that are kept nowhere else cannot be copied to the volume ${name}: ${why}`,
        ),
      );
    }),
    emptyTrash: () =>
      asked(async () => {
        await removeOld(temporaryLabel, temporaryMs);
        await removeOld(asideLabel, asideMs);
      }),
    ...workspaceSteps(processes, { borrowsObjects: false }),
  };
};

const asked = <A>(ask: () => Promise<A>): Effect.Effect<A, WorkspaceStepFailed> =>
  Effect.tryPromise({
    try: ask,
    catch: (error) =>
      new WorkspaceStepFailed(
        `The engine of its workspace cannot be asked: ${clause((error as Error).message)}.`,
      ),
  });

/** The volumes of the workspaces of one installation. */
const volumesOf = (installation: InstallationId) => {
  const ownerOf = ({ companyId }: WorkspaceFolder) => ownerLabels(installation, { companyId, agentId: null });
  const nameOf = ({ id, isTemporary = false }: WorkspaceFolder) =>
    objectName(installation, isTemporary ? "temporary" : "tree", labelOf(id));
  /** Its path stays the same for its life: CLIs find their sessions by it. */
  const volumeOf = (folder: WorkspaceFolder): EngineVolume => ({
    name: nameOf(folder),
    labels: {
      [folder.isTemporary === true ? temporaryLabel : treeLabel]: labelOf(folder.id),
      ...ownerOf(folder),
    },
    path: join(treesFolder, folder.id),
    folders: ["work", "scratch"],
  });
  return { nameOf, ownerOf, volumeOf };
};

const workspaceOf = (
  agent: Parameters<IssueWorkspaces["open"]>[0],
  folder: WorkspaceFolder,
  volumes: readonly EngineVolume[],
): Workspace => {
  const root = join(treesFolder, folder.id);
  const scratch = join(root, "scratch");
  const own = [join(root, "work"), scratch];
  return {
    ...inEngine,
    companyId: folder.companyId,
    agentId: agent?.id ?? null,
    cwd: join(root, "work"),
    own: agent === null ? own : [...own, workFolder],
    volumes,
    // Settings that an agent makes for all its git are no other issue's.
    env:
      agent === null ? { HOME: scratch } : { ...inEngine.env, GIT_CONFIG_GLOBAL: join(scratch, "gitconfig") },
    ...(agent === null ? {} : { agentFolder: inEngine.cwd }),
  };
};
