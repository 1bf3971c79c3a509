import { resolve } from "node:path";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import type { InstallationId } from "../../core/model/shared/ids.ts";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import {
  type Handover,
  type LocalProcessRunner,
  nothingHappened,
  type ProcessSupervision,
  type ProgramSpec,
} from "../../ports/process-runner.ts";
import { type Detach, type ProgramViews, type Sandbox, ViewRefused } from "../../ports/sandbox.ts";
import { endTree, isAlive } from "./end-process.ts";
import { hiddenArguments, hiddenCommand, missedIn } from "./hidden-names.ts";
import { type GroupJoins, groupJoins } from "./join-group.ts";
import { layOutFiles } from "./lay-out-files.ts";
import { limitsMet, limitsSaid } from "./limits-met.ts";
import { type LivePrograms, livePrograms } from "./live-programs.ts";
import { pump, watchOutput } from "./process-output.ts";
import {
  hostIdentity,
  identityOf,
  localProcess,
  type ProcessTable,
  processOf,
  processTable,
} from "./process-table.ts";
import { environment } from "./program-environment.ts";
import type { ProgramHolder } from "./program-holder.ts";
import { feed } from "./program-input.ts";
import { closePipes, programPipe } from "./program-pipe.ts";
import { type OpenedGroups, openRunGroups } from "./run-groups.ts";
import type { SampledLimits } from "./run-samples.ts";
import { machineSharedBytes } from "./shared-memory.ts";
import { type Spawner, SpawnerLost } from "./spawner.ts";
import { heldStart, prepare, type Started, type Starter, start, unwrapExit } from "./start-process.ts";
import { drain, endingOf, firstOf, isOverLimit, type SupervisionEnd } from "./supervision-end.ts";
import { type TakenRuns, takenRuns } from "./taken-runs.ts";

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
  readonly holder?: { readonly programs: ProgramHolder; readonly sec: number } | null;
}

/** Wait for the exit status of a dead program. */
const exitStatusMs = 2_000;

export const childProcessRunner = (options: ChildProcessRunnerOptions): LocalProcessRunner => {
  const { installation } = options;
  const table = options.table ?? processTable();
  const { groups: groupsOf, gap } = options.groups ?? openRunGroups();
  const groups = groupsOf?.(installation) ?? null;
  const { sandbox = null, detach = null, spawner = null, views = null } = options;
  const holder = options.holder?.programs ?? null;
  const taken = takenRuns();
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
    mayOutlive: options.holder != null,
    handover: options.holder == null ? null : handoverBy(options.holder.programs, options.holder.sec, taken),
    ...(sandbox === null || views === null ? {} : { whatIsHidden: whatIsHidden(views) }),
    run: (spec, supervision) =>
      run(
        { installation, table, groups, joins, sandbox, detach, views, spawner, holder, taken, sampled, live },
        spec,
        unlessLeft(holder, supervision),
      ),
    endLeftovers: (runId, identity, graceSec) => {
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

const handoverBy = (holder: ProgramHolder, sec: number, taken: TakenRuns): Handover => ({
  sec,
  folders: holder.folders,
  leftIn: (folder) => Effect.promise(() => holder.leftIn(folder)),
  takeOver: (left) =>
    Effect.promise(async () => {
      const run = await holder.takeOver(left);
      if (run === null) return null;
      taken.add(left.runId, run.programs);
      return { kept: run.dossier, programs: run.programs.length };
    }),
  endLeft: holder.end,
  holds: holder.holds,
  release: (runId) => holder.release(runId, taken.forget(runId)),
  leave: holder.leave,
  hasLeft: () => holder.hasLeft(),
});

/** Once this service has left its programs to the next one, nothing that fails here may end them. */
const unlessLeft = (holder: ProgramHolder | null, supervision: ProcessSupervision): ProcessSupervision => {
  const { runId, keeps } = supervision;
  if (holder === null || keeps === undefined) return supervision;
  const unless = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.suspend(() => (holder.hasLeft(runId) ? Effect.never : effect)).pipe(
      Effect.catchCause((cause) => (holder.hasLeft(runId) ? Effect.never : Effect.failCause(cause))),
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

interface Tools extends Starter {
  readonly installation: InstallationId;
  readonly views: ProgramViews | null;
  /** null: programs enter their group themselves, or have none. */
  readonly joins: GroupJoins | null;
  /** Programs of runs that were taken over. */
  readonly taken: TakenRuns;
  readonly live: LivePrograms;
  readonly sampled: SampledLimits;
}

const run = (
  tools: Tools,
  spec: ProgramSpec,
  supervision: ProcessSupervision,
): Effect.Effect<ProcessOutcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { installation, table, groups, joins, sandbox, sampled, live, taken, holder } = tools;
      const { workspace, runId } = supervision;
      const left = supervision.keeps === undefined ? null : taken.next(runId, spec);
      // A program that lives is attended to, also to end it.
      if (left === null && supervision.stop.aborted) return { ...nothingHappened, stopped: true };
      const cwd = resolve(workspace.cwd, spec.cwd ?? ".");
      const env = environment(spec, supervision, installation);
      const view = left === null ? yield* prepared(tools, spec, supervision, { cwd, env }) : null;
      if (view !== null && "startError" in view) return { ...nothingHappened, ...view };

      const program = live.begin(runId);
      const limited = groups?.areLimited === true ? groups : null;
      const sharedBefore = sampled.maxMemoryBytes === null ? 0 : machineSharedBytes();
      const before = limited?.events(runId) ?? null;
      const started =
        left !== null
          ? heldStart(table, left)
          : yield* Effect.promise(() =>
              start(tools, spec, supervision, { cwd, env, view: view?.seen ?? null }).catch(
                (lost: SpawnerLost) => lost,
              ),
            );
      if (started instanceof SpawnerLost || "startError" in started) {
        program.end();
        if (program.tree.ownsRun()) groups?.forget(runId);
        program.leave();
        if (holder?.hasLeft(runId) === true) yield* Effect.never;
        // Programs that it may have started have the run's id, by which the service ends them.
        return started instanceof SpawnerLost
          ? yield* Effect.die(started)
          : { ...nothingHappened, startError: started.startError };
      }
      const { child, program: root, exited } = started;
      program.started(root, started.bornAt);
      const joined = joins?.begin(runId, root, exited) ?? null;

      const output = watchOutput(spec);
      const inputUnread = Deferred.makeUnsafe<void>();
      const attending = Effect.gen(function* () {
        // Nobody reads meanwhile, so that what the program has said is not over, even if it has ended.
        output.progress.writing += 1;
        yield* supervision.onStarted(identityOf(root));
        output.progress.writing -= 1;
        output.progress.saidAt = performance.now();
        started.held?.feed();
        if (started.stdin) feed(started.stdin, spec, () => Deferred.doneUnsafe(inputUnread, Effect.void));
        if (child !== null) spec.onPipe?.(programPipe(child));
        yield* Effect.all(
          [
            pump(started.stdout, "stdout", supervision, output, spec.keepPace),
            pump(started.stderr, "stderr", supervision, output),
          ],
          { concurrency: "unbounded", discard: true },
        );
      });
      const pumps = yield* Effect.forkChild(attending, { startImmediately: true, uninterruptible: false });

      const ending = yield* Effect.exit(
        restore(
          endingOf(
            spec,
            supervision,
            {
              exited,
              pid: root.pid,
              ranMs: started.held?.ranMs ?? 0,
              cwd,
              sampled,
              sharedBefore,
              inputUnread,
            },
            output,
            pumps,
          ),
        ),
      );
      if (started.held !== undefined && holder?.hasLeft(runId) === true) yield* Effect.never;
      program.end();
      const why = Exit.isSuccess(ending) ? byHolder(started, ending.value) : null;
      const after = limited?.events(runId) ?? null;
      if (joined !== null) yield* joined.finished;
      yield* endTree(
        table,
        {
          installation,
          runId,
          root,
          // The number of one that ended meanwhile may be another's.
          attended: (started.held?.exit ?? null) === null,
          groups,
          wrapper: sandbox?.wrapper ?? null,
          ...program.tree,
        },
        // A program that has taken too much would take more in its grace period.
        why !== null && isOverLimit(why) ? 0 : spec.graceSec,
      );
      program.leave();
      const exit = yield* firstOf([
        Effect.promise(() => exited),
        // Only a program that may not be signalled (set-uid) survives.
        Effect.as(Effect.sleep(exitStatusMs), { code: null, signal: null }),
      ]);
      const drained = yield* Effect.exit(
        ending._tag === "Success" ? restore(drain(pumps, output)) : Effect.void,
      );
      yield* Fiber.interrupt(pumps);
      for (const stream of [started.stdin, started.stdout, started.stderr]) stream?.destroy();
      if (child !== null) closePipes(child);
      // Reports a failed log write or an interruption once all processes have ended.
      yield* ending;
      yield* drained;
      if (exit === null) return yield* Effect.die(new SpawnerLost());
      const { code, signal } = exit;

      const outcome: ProcessOutcome = {
        ...(sandbox === null ? { exitCode: code, signal } : unwrapExit(code, signal)),
        timedOut: why === "timed out",
        stopped: why === "stopped",
        endedAfterResult: why === "lingered after its result",
        ...(why === "fell silent" ? { silent: true as const } : {}),
        ...(why === "left its input unread" ? { unreadInput: true as const } : {}),
        ...(why === "took too much memory" ? { overMemory: true as const } : {}),
        ...(why === "took too much disk" ? { overDisk: true as const } : {}),
        stderrTail: output.stderrTail(),
      };
      const seen = view?.seen ?? null;
      const hidden = sandbox === null || seen === null ? [] : missedIn(seen, outcome);
      const whole = hidden.length === 0 ? outcome : { ...outcome, missed: hidden };
      if (before === null || after === null) return { ...whole, ...limitsSaid(outcome) };
      return {
        ...whole,
        ...limitsMet(outcome, {
          memoryKills: after.memoryKills - before.memoryKills,
          refusedForks: after.refusedForks - before.refusedForks,
        }),
      };
    }),
  );

/** A program that met a limit while it had no service was ended by its holder. */
const byHolder = ({ held }: Started, why: SupervisionEnd): SupervisionEnd =>
  why === "exited" ? (held?.ended ?? why) : why;

/** Decides what the program sees and lays its files out; says why it cannot be started. */
const prepared = Effect.fnUntraced(function* (
  { views, sandbox }: Tools,
  spec: ProgramSpec,
  { workspace, onOutput }: ProcessSupervision,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) {
  const { command, reads = [] } = spec;
  const seen = views?.viewOf({ workspace, cwd, env, command, reads }) ?? null;
  if (seen instanceof ViewRefused) return { startError: seen.message };
  const located = seen?.locate(cwd) ?? cwd;
  const refusal = yield* Effect.promise(() => prepare(spec, located, workspace.user, sandbox !== null));
  if (refusal !== null) return { startError: refusal };
  const laidOut = yield* Effect.promise(() =>
    layOutFiles(spec.files ?? [], workspace.files, workspace.user).catch((error: Error) => error),
  );
  if (laidOut instanceof Error) return { startError: `Its files cannot be laid out: ${laidOut.message}` };
  if (laidOut.length > 0) yield* onOutput("system", Buffer.from(`${laidOut.join("\n")}\n`));
  return { seen };
});
