import { resolve } from "node:path";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { ProcessRunner, ProcessSupervision, ProgramSpec } from "../../ports/process-runner.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import { endTree, isAlive } from "./end-process.ts";
import { residentBytes } from "./process-memory.ts";
import { type OutputWatch, pump, watchOutput } from "./process-output.ts";
import { hostIdentity, identityOf, type ProcessTable, processTable } from "./process-table.ts";
import type { ProcessTree } from "./process-tree.ts";
import { closePipes, programPipe } from "./program-pipe.ts";
import { type RunGroups, runGroups } from "./run-groups.ts";
import { feed, prepare, start, unwrapExit } from "./start-process.ts";

/** Options of the runner that starts programs on this machine. */
export interface ChildProcessRunnerOptions {
  readonly table?: ProcessTable;
  /** Default: what this machine allows. */
  readonly groups?: RunGroups | null;
  /** Keeps programs apart from the service and from each other; null: they are plain children. */
  readonly sandbox?: Sandbox | null;
  /** What a program and all it starts may hold; null: no limit. */
  readonly maxMemoryBytes?: number | null;
}

/** How long a program that has said its result may take to leave. */
const leaveAfterResultMs = 5_000;

/** How long the output may be silent after the last process has gone before it counts as read to its end. */
const drainMs = 500;

/** Between two looks at the memory of a program. */
const memoryLookMs = 2_000;

/** How long the exit status of a dead program may take to be told to us. */
const exitStatusMs = 2_000;

export const childProcessRunner = (options: ChildProcessRunnerOptions = {}): ProcessRunner => {
  const table = options.table ?? processTable();
  const groups = options.groups === undefined ? runGroups() : options.groups;
  const { sandbox = null, maxMemoryBytes = null } = options;
  const wrapper = sandbox?.wrapper ?? null;
  const live = livePrograms();
  return {
    containment: groups === null ? "process_table" : "cgroup",
    here: { host: hostIdentity(), service: identityOf(table, process.pid) },
    run: (spec, supervision) => run({ table, groups, sandbox, maxMemoryBytes, live }, spec, supervision),
    endLeftovers: (runId, identity, graceSec) => {
      const all = { ownsRun: () => true, asked: new Set<string>() };
      return Effect.asVoid(
        endTree(table, { runId, root: identity, attended: false, groups, wrapper, ...all }, graceSec),
      );
    },
    isAlive: (identity) => Effect.sync(() => isAlive(table, identity)),
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

/** Why we stopped attending to the program. */
type Ending =
  | "exited"
  | "timed out"
  | "fell silent"
  | "took too much memory"
  | "stopped"
  | "lingered after its result";

interface Tools {
  readonly table: ProcessTable;
  readonly groups: RunGroups | null;
  readonly live: LivePrograms;
  readonly sandbox: Sandbox | null;
  readonly maxMemoryBytes: number | null;
}

/** Counts the programs of each run that are not being ended yet, so that the end of one leaves the others alone. */
interface LivePrograms {
  begin(runId: string): LiveProgram;
}

interface LiveProgram {
  /** From now on the program counts no more. */
  end(): void;
  /** Nothing more is asked of it. */
  leave(): void;
  readonly tree: Pick<ProcessTree, "ownsRun" | "asked">;
}

const livePrograms = (): LivePrograms => {
  const runs = new Map<string, { going: number; known: number; readonly asked: Set<string> }>();
  return {
    begin: (runId) => {
      const run = runs.get(runId) ?? { going: 0, known: 0, asked: new Set<string>() };
      runs.set(runId, run);
      run.going += 1;
      run.known += 1;
      return {
        end: () => {
          run.going -= 1;
        },
        leave: () => {
          run.known -= 1;
          if (run.known === 0) runs.delete(runId);
        },
        tree: { ownsRun: () => run.going === 0, asked: run.asked },
      };
    },
  };
};

const run = (
  { table, groups, sandbox, maxMemoryBytes, live }: Tools,
  spec: ProgramSpec,
  supervision: ProcessSupervision,
): Effect.Effect<ProcessOutcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      if (supervision.stop.aborted) return { ...nothingHappened, stopped: true };
      const cwd = resolve(supervision.cwd, spec.cwd ?? ".");
      const refusal = yield* Effect.promise(() => prepare(spec, cwd, supervision.user, sandbox !== null));
      if (refusal !== null) return { ...nothingHappened, startError: refusal };

      const started = start(table, sandbox, spec, supervision, cwd);
      if ("startError" in started) {
        const startError = yield* Effect.promise(() => started.startError);
        return { ...nothingHappened, startError };
      }
      const { child, identity, exited } = started;
      groups?.join(supervision.runId, identity.pid);
      const program = live.begin(supervision.runId);

      const output = watchOutput(spec);
      const attending = Effect.gen(function* () {
        yield* supervision.onStarted(identity);
        if (child.stdin) feed(child.stdin, spec.stdin ?? "");
        spec.onPipe?.(programPipe(child));
        yield* Effect.all(
          [
            pump(child.stdout, "stdout", supervision, output, spec.keepPace),
            pump(child.stderr, "stderr", supervision, output),
          ],
          { concurrency: "unbounded", discard: true },
        );
      });
      const pumps = yield* Effect.forkChild(attending, { startImmediately: true, uninterruptible: false });

      const ending = yield* Effect.exit(
        restore(endingOf(spec, supervision, { exited, pid: identity.pid, maxMemoryBytes }, output, pumps)),
      );
      program.end();
      const { runId } = supervision;
      yield* endTree(
        table,
        {
          runId,
          root: identity,
          attended: true,
          groups,
          wrapper: sandbox?.wrapper ?? null,
          ...program.tree,
        },
        spec.graceSec,
      );
      program.leave();
      const { code, signal } = yield* firstOf([
        Effect.promise(() => exited),
        // Only a program that we may not signal (set-uid) lives on.
        Effect.as(Effect.sleep(exitStatusMs), { code: null, signal: null }),
      ]);
      const drained = yield* Effect.exit(
        ending._tag === "Success" ? restore(drain(pumps, output)) : Effect.void,
      );
      yield* Fiber.interrupt(pumps);
      child.stdout?.destroy();
      child.stderr?.destroy();
      closePipes(child);
      // A log that could not be written, or an interruption: said now that nothing of the program is left.
      const why = yield* ending;
      yield* drained;

      return {
        ...(sandbox === null ? { exitCode: code, signal } : unwrapExit(code, signal)),
        timedOut: why === "timed out",
        stopped: why === "stopped",
        endedAfterResult: why === "lingered after its result",
        ...(why === "fell silent" ? { silent: true as const } : {}),
        ...(why === "took too much memory" ? { overMemory: true as const } : {}),
        stderrTail: output.stderrTail(),
      };
    }),
  );

/** Waits for the first reason to attend to the program no longer. */
const endingOf = (
  spec: ProgramSpec,
  supervision: ProcessSupervision,
  {
    exited,
    pid,
    maxMemoryBytes,
  }: { readonly exited: Promise<unknown>; readonly pid: number; readonly maxMemoryBytes: number | null },
  output: OutputWatch,
  pumps: Fiber.Fiber<void>,
): Effect.Effect<Ending> =>
  firstOf<Ending>([
    Effect.as(
      Effect.promise(() => exited),
      "exited",
    ),
    Effect.as(aborted(supervision.stop), "stopped"),
    Effect.flatMap(Effect.sleep(Math.min(spec.timeoutSec * 1000, maxTimerMs)), () =>
      output.hasResult() ? Effect.never : Effect.succeed("timed out"),
    ),
    Effect.as(silence(spec, output), "fell silent"),
    Effect.as(tooMuchMemory(pid, maxMemoryBytes), "took too much memory"),
    Effect.as(
      Effect.andThen(Deferred.await(output.result), Effect.sleep(leaveAfterResultMs)),
      "lingered after its result",
    ),
    // Only its defects matter here: output can be over long before the program is.
    Effect.andThen(Fiber.join(pumps), Effect.never),
  ]);

/** The losers can be told to stop even where the caller itself cannot. */
const firstOf = <A>(effects: readonly Effect.Effect<A>[]): Effect.Effect<A> =>
  Effect.raceAllFirst(effects.map((effect) => Effect.interruptible(effect)));

const nothingHappened: ProcessOutcome = {
  exitCode: null,
  signal: null,
  timedOut: false,
  stopped: false,
  endedAfterResult: false,
  stderrTail: "",
};

/** setTimeout counts in 32 bits. */
const maxTimerMs = 2 ** 31 - 1;

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.void);
    if (signal.aborted) return done();
    signal.addEventListener("abort", done, { once: true });
    return Effect.sync(() => signal.removeEventListener("abort", done));
  });

/** Looks at what a program and all it started hold, because not every system keeps groups of processes to a limit. */
const tooMuchMemory = (pid: number, maxBytes: number | null): Effect.Effect<void> =>
  maxBytes === null
    ? Effect.never
    : Effect.suspend(() => Effect.succeed(residentBytes(pid) > maxBytes)).pipe(
        Effect.delay(memoryLookMs),
        Effect.repeat({ until: (isOver) => isOver }),
        Effect.asVoid,
      );

/** Waits until nothing has been said for too long. While the log holds the output back, silence is ours. */
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

/**
 * Reads what is left in the pipes. Whoever escaped and still holds one is not waited for: silence ends it. A log that
 * is slow is waited for.
 */
const drain = (pumps: Fiber.Fiber<void>, output: OutputWatch): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (;;) {
      const before = output.progress.chunks;
      const finished = yield* firstOf([
        Effect.as(Fiber.join(pumps), true),
        Effect.as(Effect.sleep(drainMs), false),
      ]);
      if (finished || (output.progress.chunks === before && output.progress.writing === 0)) return;
    }
  });
