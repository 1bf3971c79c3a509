import { resolve } from "node:path";
import * as Effect from "effect/Effect";
import type { InstallationId } from "../../core/model/shared/ids.ts";
import type { Handover, LocalProcessRunner, ProcessSupervision } from "../../ports/process-runner.ts";
import { type Detach, type ProgramViews, type Sandbox, ViewRefused } from "../../ports/sandbox.ts";
import { type AdoptedRuns, adoptedRuns } from "./adopted-runs.ts";
import { endTree, isAlive } from "./end-process.ts";
import { hiddenArguments, hiddenCommand } from "./hidden-names.ts";
import { groupJoins } from "./join-group.ts";
import { livePrograms } from "./live-programs.ts";
import { hostIdentity, localProcess, type ProcessTable, processOf, processTable } from "./process-table.ts";
import type { ProgramSupervisor } from "./program-supervisor.ts";
import { type OpenedGroups, openRunGroups } from "./run-groups.ts";
import type { Spawner } from "./spawner.ts";
import { superviseProgram } from "./supervise-program.ts";

/** Options of the runner that starts programs on this machine. */
export interface ChildProcessRunnerOptions {
  /** Marks programs, so that another installation on the machine leaves them alone. */
  readonly installation: InstallationId;
  readonly table?: ProcessTable;
  /** Default: the control groups of this machine, if any, without limits. */
  readonly groups?: OpenedGroups;
  /** Isolates programs from the service and from each other; null: plain child processes. */
  readonly sandbox?: Sandbox | null;
  /** Starts programs without a sandbox so that they inherit nothing of the service; null: they do. */
  readonly detach?: Detach | null;
  /** Decides what programs see, also without a sandbox; null: all that their user may. A sandbox needs it. */
  readonly views?: ProgramViews | null;
  /** Memory limit of a program and its descendants, where groups keep none; null: no limit. */
  readonly maxMemoryBytes?: number | null;
  /** Limit of what a program and its descendants add to its working directory and home; null: no limit. */
  readonly maxDiskBytes?: number | null;
  /** Starts programs in place of this process; null: they are its children. */
  readonly spawner?: Spawner | null;
  /** Starts programs that outlive this process; null: they end with it. */
  readonly supervisor?: { readonly programs: ProgramSupervisor; readonly sec: number } | null;
}

export const childProcessRunner = (options: ChildProcessRunnerOptions): LocalProcessRunner => {
  const { installation } = options;
  const table = options.table ?? processTable();
  const { groups: groupsOf, gap } = options.groups ?? openRunGroups();
  const groups = groupsOf?.(installation) ?? null;
  const { sandbox = null, detach = null, spawner = null, views = null } = options;
  const supervisor = options.supervisor?.programs ?? null;
  const adopted = adoptedRuns();
  if (sandbox !== null && views === null) throw new Error("A sandbox needs to know what its programs see.");
  const sampled = {
    maxMemoryBytes: groups?.areLimited === true ? null : (options.maxMemoryBytes ?? null),
    maxDiskBytes: options.maxDiskBytes ?? null,
  };
  const wrapper = sandbox?.wrapper ?? null;
  const live = livePrograms();
  const joins = groups === null || groups.areLimited ? null : groupJoins(table, groups);
  const host = hostIdentity();
  return {
    host,
    scope: `host/${host}`,
    service: localProcess(table, process.pid),
    containment: groups === null ? "process_table" : "cgroup",
    limits: { by: groups?.areLimited === true ? "cgroup" : "rlimits", gap },
    mayOutlive: options.supervisor != null,
    handover:
      options.supervisor == null
        ? null
        : handoverBy(options.supervisor.programs, options.supervisor.sec, adopted),
    ...(sandbox === null || views === null ? {} : { whatIsHidden: whatIsHidden(views) }),
    run: (spec, supervision) =>
      superviseProgram(
        {
          installation,
          table,
          groups,
          joins,
          sandbox,
          detach,
          views,
          spawner,
          supervisor,
          adopted,
          sampled,
          live,
        },
        spec,
        unlessDetached(supervisor, supervision),
      ),
    endOrphans: (runId, identity, graceSec) => {
      const root = identity === null ? null : processOf(identity);
      const all = { ownsRun: () => true, asked: new Set<string>(), since: null, isOfOther: () => false };
      return Effect.asVoid(
        endTree(table, { installation, runId, root, attended: false, groups, wrapper, ...all }, graceSec),
      );
    },
    isAlive: (process) => Effect.sync(() => isAlive(table, process)),
    runIdsAlive: () =>
      Effect.promise(async () => {
        const alive = new Set<string>();
        for (const process of await table.list()) {
          const runId = await process.runIdOf(installation);
          if (runId !== null) alive.add(runId);
        }
        for (const runId of groups?.inhabited() ?? [])
          if (joins?.mayHoldOther(runId) !== true) alive.add(runId);
        return alive;
      }),
  };
};

const handoverBy = (supervisor: ProgramSupervisor, sec: number, adopted: AdoptedRuns): Handover => ({
  sec,
  folders: supervisor.folders,
  orphansIn: (folder) => Effect.promise(() => supervisor.orphansIn(folder)),
  takeOver: (orphan) =>
    Effect.promise(async () => {
      const run = await supervisor.takeOver(orphan);
      if (run === null) return null;
      adopted.add(orphan.runId, run.programs);
      return { handoverState: run.handoverState, programs: run.programs.length };
    }),
  endOrphanSteps: supervisor.end,
  supervises: supervisor.supervises,
  release: (runId) => supervisor.release(runId, adopted.forget(runId)),
  leave: supervisor.leave,
  hasDetached: () => supervisor.hasDetached(),
});

/** Once this service has left its programs to the next one, nothing that fails here may end them. */
const unlessDetached = (
  supervisor: ProgramSupervisor | null,
  supervision: ProcessSupervision,
): ProcessSupervision => {
  const { runId, handoverState } = supervision;
  if (supervisor === null || handoverState === undefined) return supervision;
  const unless = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.suspend(() => (supervisor.hasDetached(runId) ? Effect.never : effect)).pipe(
      Effect.catchCause((cause) => (supervisor.hasDetached(runId) ? Effect.never : Effect.failCause(cause))),
    );
  return {
    ...supervision,
    onStarted: (identity) => unless(supervision.onStarted(identity)),
    onOutput: (stream, chunk) => unless(supervision.onOutput(stream, chunk)),
  };
};

const whatIsHidden =
  (views: ProgramViews): NonNullable<LocalProcessRunner["whatIsHidden"]> =>
  ({ command, args, cwd: own = "." }, { workspace, env }) => {
    const cwd = resolve(workspace.cwd, own);
    const view = views.viewOf({ workspace, cwd, env, command, reads: [] });
    if (view instanceof ViewRefused) return { command: view.message, args: [] };
    return {
      command: hiddenCommand(view, { command, path: env.PATH, cwd }),
      args: hiddenArguments(view, args),
    };
  };
