import { resolve } from "node:path";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import {
  type LocalProcess,
  type LocalProcessRunner,
  nothingHappened,
  type ProcessSupervision,
  type ProgramSpec,
} from "../../ports/process-runner.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import { endTree, isAlive } from "./end-process.ts";
import { layOutFiles } from "./lay-out-files.ts";
import { limitsMet } from "./limits-met.ts";
import { type OutputWatch, pump, watchOutput } from "./process-output.ts";
import {
  hostIdentity,
  identityOf,
  localProcess,
  type ProcessTable,
  processOf,
  processTable,
} from "./process-table.ts";
import type { ProcessTree } from "./process-tree.ts";
import { closePipes, programPipe } from "./program-pipe.ts";
import { type OpenedGroups, openRunGroups, type RunGroups } from "./run-groups.ts";
import { foldersOf, type SampledLimits, tooMuchDisk, tooMuchMemory } from "./run-samples.ts";
import { type Spawner, SpawnerLost } from "./spawner.ts";
import { feed, prepare, type Starter, start, unwrapExit } from "./start-process.ts";

/** Options of the runner that starts programs on this machine. */
export interface ChildProcessRunnerOptions {
  readonly table?: ProcessTable;
  /** Default: the control groups of this machine, if any, without limits. */
  readonly groups?: OpenedGroups;
  /** Isolates programs from the service and from each other; null: plain child processes. */
  readonly sandbox?: Sandbox | null;
  /** Memory limit of a program and its descendants, where groups keep none; null: no limit. */
  readonly maxMemoryBytes?: number | null;
  /** What a program and its descendants may add to its working directory and home; null: no limit. */
  readonly maxDiskBytes?: number | null;
  /** Starts programs in place of this process; null: they are its children. */
  readonly spawner?: Spawner | null;
}

/** Time to exit for a program that has reported its result. */
const leaveAfterResultMs = 5_000;

/** Silence after the last process has exited until the output counts as complete. */
const drainMs = 500;

/** Wait for the exit status of a dead program. */
const exitStatusMs = 2_000;

export const childProcessRunner = (options: ChildProcessRunnerOptions = {}): LocalProcessRunner => {
  const table = options.table ?? processTable();
  const { groups, gap } = options.groups ?? openRunGroups();
  const { sandbox = null, spawner = null } = options;
  const sampled = {
    maxMemoryBytes: groups?.areLimited === true ? null : (options.maxMemoryBytes ?? null),
    maxDiskBytes: options.maxDiskBytes ?? null,
  };
  const wrapper = sandbox?.wrapper ?? null;
  const live = livePrograms();
  const host = hostIdentity();
  return {
    host,
    reach: `host/${host}`,
    service: localProcess(table, process.pid),
    containment: groups === null ? "process_table" : "cgroup",
    limits: { by: groups?.areLimited === true ? "cgroup" : "rlimits", gap },
    run: (spec, supervision) => run({ table, groups, sandbox, spawner, sampled, live }, spec, supervision),
    endLeftovers: (runId, identity, graceSec) => {
      const root = identity === null ? null : processOf(identity);
      const all = { ownsRun: () => true, asked: new Set<string>(), since: null };
      return Effect.asVoid(
        endTree(table, { runId, root, attended: false, groups, wrapper, ...all }, graceSec),
      );
    },
    isAlive: (process) => Effect.sync(() => isAlive(table, process)),
    runIdsAlive: () =>
      Effect.map(
        Effect.promise(() => table.list()),
        (processes) =>
          new Set([
            ...processes.flatMap(({ runId }) => (runId === null ? [] : [runId])),
            ...(groups?.inhabited() ?? []),
          ]),
      ),
  };
};

/** Why supervision of the program ended. */
type SupervisionEnd =
  | "exited"
  | "timed out"
  | "fell silent"
  | "took too much memory"
  | "took too much disk"
  | "stopped"
  | "lingered after its result";

interface Tools extends Starter {
  readonly live: LivePrograms;
  readonly sampled: SampledLimits;
}

/** Counts the live programs of each run, so that the end of one leaves the others alone. */
interface LivePrograms {
  /** Counts a program from before its start. */
  begin(runId: string): LiveProgram;
}

interface LiveProgram {
  started(bornAt: number | null): void;
  /** Stops counting the program. */
  end(): void;
  /** Detaches from the program. */
  leave(): void;
  readonly tree: Pick<ProcessTree, "ownsRun" | "asked" | "since">;
}

interface ProgramsOfRun extends Pick<ProcessTree, "asked"> {
  /** undefined before the first start. */
  since: number | null | undefined;
  going: number;
  known: number;
}

const livePrograms = (): LivePrograms => {
  const runs = new Map<string, ProgramsOfRun>();
  return {
    begin: (runId) => {
      const run = runs.get(runId) ?? { going: 0, known: 0, asked: new Set<string>(), since: undefined };
      runs.set(runId, run);
      run.going += 1;
      run.known += 1;
      return {
        started: (bornAt) => {
          if (run.since === undefined || bornAt === null) run.since = bornAt;
          else if (run.since !== null) run.since = Math.min(run.since, bornAt);
        },
        end: () => {
          run.going -= 1;
        },
        leave: () => {
          run.known -= 1;
          if (run.known === 0) runs.delete(runId);
        },
        tree: {
          ownsRun: () => run.going === 0,
          asked: run.asked,
          get since() {
            return run.since ?? null;
          },
        },
      };
    },
  };
};

const run = (
  tools: Tools,
  spec: ProgramSpec,
  supervision: ProcessSupervision,
): Effect.Effect<ProcessOutcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { table, groups, sandbox, sampled, live } = tools;
      if (supervision.stop.aborted) return { ...nothingHappened, stopped: true };
      const { workspace } = supervision;
      const cwd = resolve(workspace.cwd, spec.cwd ?? ".");
      const refusal = yield* Effect.promise(() => prepare(spec, cwd, workspace.user, sandbox !== null));
      if (refusal !== null) return { ...nothingHappened, startError: refusal };
      const laidOut = yield* Effect.promise(() =>
        layOutFiles(spec.files ?? [], workspace.files, workspace.user).catch((error: Error) => error),
      );
      if (laidOut instanceof Error)
        return { ...nothingHappened, startError: `Its files cannot be laid out: ${laidOut.message}` };
      if (laidOut.length > 0) yield* supervision.onOutput("system", Buffer.from(`${laidOut.join("\n")}\n`));

      const { runId } = supervision;
      const program = live.begin(runId);
      const limited = groups?.areLimited === true ? groups : null;
      const before = limited?.events(runId) ?? null;
      const started = yield* Effect.promise(() =>
        start(tools, spec, supervision, cwd).catch((lost: SpawnerLost) => lost),
      );
      if (started instanceof SpawnerLost || "startError" in started) {
        program.end();
        if (program.tree.ownsRun()) groups?.forget(runId);
        program.leave();
        // What it may have started has the run's id, by which the service ends it.
        return started instanceof SpawnerLost
          ? yield* Effect.die(started)
          : { ...nothingHappened, startError: started.startError };
      }
      const { child, program: root, exited } = started;
      program.started(started.bornAt);
      const joined =
        groups === null || groups.areLimited ? null : joinGroup(table, groups, supervision.runId, root);

      const output = watchOutput(spec);
      const attending = Effect.gen(function* () {
        yield* supervision.onStarted(identityOf(root));
        if (started.stdin) feed(started.stdin, spec.stdin ?? "");
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
        restore(endingOf(spec, supervision, { exited, pid: root.pid, cwd, sampled }, output, pumps)),
      );
      program.end();
      const after = limited?.events(runId) ?? null;
      if (joined !== null) yield* Effect.promise(() => joined);
      yield* endTree(
        table,
        {
          runId,
          root,
          attended: true,
          groups,
          wrapper: sandbox?.wrapper ?? null,
          ...program.tree,
        },
        spec.graceSec,
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
      started.stdout?.destroy();
      started.stderr?.destroy();
      if (child !== null) closePipes(child);
      // Reports a failed log write or an interruption once all processes have ended.
      const why = yield* ending;
      yield* drained;
      if (exit === null) return yield* Effect.die(new SpawnerLost());
      const { code, signal } = exit;

      const outcome: ProcessOutcome = {
        ...(sandbox === null ? { exitCode: code, signal } : unwrapExit(code, signal)),
        timedOut: why === "timed out",
        stopped: why === "stopped",
        endedAfterResult: why === "lingered after its result",
        ...(why === "fell silent" ? { silent: true as const } : {}),
        ...(why === "took too much memory" ? { overMemory: true as const } : {}),
        ...(why === "took too much disk" ? { overDisk: true as const } : {}),
        stderrTail: output.stderrTail(),
      };
      if (before === null || after === null) return outcome;
      return {
        ...outcome,
        ...limitsMet(outcome, {
          memoryKills: after.memoryKills - before.memoryKills,
          refusedForks: after.refusedForks - before.refusedForks,
        }),
      };
    }),
  );

/** The program may have ended before, and its number have been given to another process. */
const joinGroup = async (table: ProcessTable, groups: RunGroups, runId: string, root: LocalProcess) => {
  await groups.join(runId, root.pid);
  const moved = table.find(root.pid);
  if (moved !== null && moved.startedAt !== root.startedAt) await groups.leave(root.pid);
};

interface Watched {
  readonly exited: Promise<unknown>;
  readonly pid: number;
  readonly cwd: string;
  readonly sampled: SampledLimits;
}

/** Waits for the first reason to end supervision. */
const endingOf = (
  spec: ProgramSpec,
  supervision: ProcessSupervision,
  { exited, pid, cwd, sampled }: Watched,
  output: OutputWatch,
  pumps: Fiber.Fiber<void>,
): Effect.Effect<SupervisionEnd> =>
  firstOf<SupervisionEnd>([
    Effect.as(
      Effect.promise(() => exited),
      "exited",
    ),
    Effect.as(aborted(supervision.stop), "stopped"),
    Effect.flatMap(Effect.sleep(Math.min(spec.timeoutSec * 1000, maxTimerMs)), () =>
      output.hasResult() ? Effect.never : Effect.succeed("timed out"),
    ),
    Effect.as(silence(spec, output), "fell silent"),
    Effect.as(tooMuchMemory(pid, sampled.maxMemoryBytes), "took too much memory"),
    Effect.as(tooMuchDisk(pid, foldersOf(cwd, supervision.env), sampled.maxDiskBytes), "took too much disk"),
    Effect.as(
      Effect.andThen(Deferred.await(output.result), Effect.sleep(leaveAfterResultMs)),
      "lingered after its result",
    ),
    // Only its defects matter here: output can end long before the program.
    Effect.andThen(Fiber.join(pumps), Effect.never),
  ]);

/** Interrupts the losers even where the caller is uninterruptible. */
const firstOf = <A>(effects: readonly Effect.Effect<A>[]): Effect.Effect<A> =>
  Effect.raceAllFirst(effects.map((effect) => Effect.interruptible(effect)));

/** setTimeout counts in 32 bits. */
const maxTimerMs = 2 ** 31 - 1;

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.void);
    if (signal.aborted) return done();
    signal.addEventListener("abort", done, { once: true });
    return Effect.sync(() => signal.removeEventListener("abort", done));
  });

/** Waits until the program has been silent for too long. Time in which the log blocks output does not count. */
const silence = ({ silenceSec }: ProgramSpec, output: OutputWatch): Effect.Effect<void> =>
  silenceSec === undefined
    ? Effect.never
    : Effect.gen(function* () {
        for (;;) {
          const { saidAt, writing } = output.progress;
          const leftMs = saidAt + silenceSec * 1000 - performance.now();
          if (output.hasResult()) return yield* Effect.never;
          if (leftMs <= 0 && writing === 0) return;
          yield* Effect.sleep(Math.min(Math.max(leftMs, drainMs), maxTimerMs));
        }
      });

/** On a busy machine the time can be up before this process has looked at its pipes. */
const turn: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)));
});

/**
 * Reads the rest of the pipes. Silence ends it, so an escaped process that holds a pipe does not block it. A slow log
 * does not count as silence.
 */
const drain = (pumps: Fiber.Fiber<void>, output: OutputWatch): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (;;) {
      const before = output.progress.chunks;
      const finished = yield* firstOf([
        Effect.as(Fiber.join(pumps), true),
        Effect.as(Effect.andThen(Effect.sleep(drainMs), turn), false),
      ]);
      if (finished || (output.progress.chunks === before && output.progress.writing === 0)) return;
    }
  });
