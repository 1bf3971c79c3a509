import { resolve } from "node:path";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import { isServiceVariable } from "../../core/model/agents/service-variables.ts";
import type { InstallationId } from "../../core/model/shared/ids.ts";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import { nothingHappened, type ProcessSupervision, type ProgramSpec } from "../../ports/process-runner.ts";
import { type ProgramView, type ProgramViews, ViewRefused } from "../../ports/sandbox.ts";
import type { AdoptedRuns } from "./adopted-runs.ts";
import { endTree } from "./end-process.ts";
import { missedIn } from "./hidden-names.ts";
import type { GroupJoins } from "./join-group.ts";
import { layOutFiles } from "./lay-out-files.ts";
import { type LimitEvents, limitsMet, reportedLimits } from "./limits-met.ts";
import type { LiveProgram, LivePrograms } from "./live-programs.ts";
import { type OutputWatch, pump, watchOutput } from "./process-output.ts";
import { identityOf, installationVariable, runIdVariable } from "./process-table.ts";
import { feed } from "./program-input.ts";
import { closePipes, programPipe } from "./program-pipe.ts";
import type { SampledLimits } from "./run-samples.ts";
import { machineSharedBytes } from "./shared-memory.ts";
import { SpawnerLost } from "./spawner.ts";
import { prepare, type Started, type Starter, start, supervisedStart } from "./start-process.ts";
import { drain, endingOf, firstOf, isOverLimit, type SupervisionEnd } from "./supervision-end.ts";

/** Wait for the exit status of a dead program. */
const exitStatusMs = 2_000;

/** The parts of the runner that one program needs. */
export interface Tools extends Starter {
  readonly installation: InstallationId;
  readonly views: ProgramViews | null;
  /** null: programs enter their group themselves, or have none. */
  readonly joins: GroupJoins | null;
  /** Programs of runs that were taken over. */
  readonly adopted: AdoptedRuns;
  readonly live: LivePrograms;
  readonly sampled: SampledLimits;
}

/** Prepares a program, starts it or adopts one that has outlived its service, supervises it, and ends all its processes. */
export const superviseProgram = (
  tools: Tools,
  spec: ProgramSpec,
  supervision: ProcessSupervision,
): Effect.Effect<ProcessOutcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { installation, table, joins, sampled, supervisor } = tools;
      const { workspace, runId } = supervision;
      const orphan = supervision.handoverState === undefined ? null : tools.adopted.next(runId, spec);
      // A program that lives is attended to, also to end it.
      if (orphan === null && supervision.stop.aborted) return { ...nothingHappened, stopped: true };
      const cwd = resolve(workspace.cwd, spec.cwd ?? ".");
      const env = environment(spec, supervision, installation);
      const view = orphan === null ? yield* prepared(tools, spec, supervision, { cwd, env }) : null;
      if (view !== null && "startError" in view) return { ...nothingHappened, ...view };

      const program = tools.live.begin(runId);
      const eventsBefore = limitEvents(tools, runId);
      const sharedBefore = sampled.maxMemoryBytes === null ? 0 : machineSharedBytes();
      const started =
        orphan !== null
          ? supervisedStart(table, orphan)
          : yield* Effect.promise(() =>
              start(tools, spec, supervision, { cwd, env, view: view?.seen ?? null }).catch(
                (lost: SpawnerLost) => lost,
              ),
            );
      if (started instanceof SpawnerLost || "startError" in started)
        return yield* failStart(tools, runId, program, started);
      const { program: root, exited } = started;
      program.started(root, started.bornAt);
      const joined = joins?.begin(runId, root, exited) ?? null;

      const output = watchOutput(spec);
      const inputUnread = Deferred.makeUnsafe<void>();
      const attending = attendTo(spec, supervision, started, output, inputUnread);
      const pumps = yield* Effect.forkChild(attending, { startImmediately: true, uninterruptible: false });
      const ranMs = started.supervised?.ranMs ?? 0;
      const watched = { exited, pid: root.pid, ranMs, cwd, sampled, sharedBefore, inputUnread };
      const ending = yield* Effect.exit(restore(endingOf(spec, supervision, watched, output, pumps)));
      if (started.supervised !== undefined && supervisor?.hasDetached(runId) === true) yield* Effect.never;
      program.end();
      const why = Exit.isSuccess(ending) ? bySupervisor(started, ending.value) : null;
      const eventsAfter = limitEvents(tools, runId);
      if (joined !== null) yield* joined.finished;
      // A program that is over its limits would use even more during its grace period.
      const graceSec = why !== null && isOverLimit(why) ? 0 : spec.graceSec;
      yield* endPrograms(tools, runId, program, started, graceSec);
      program.leave();

      const exit = yield* exitOf(started);
      const drained = yield* Effect.exit(
        ending._tag === "Success" ? restore(drain(pumps, output)) : Effect.void,
      );
      yield* Fiber.interrupt(pumps);
      closeStreams(started);
      // Reports a failed log write or an interruption once all processes have ended.
      yield* ending;
      yield* drained;
      if (exit === null) return yield* Effect.die(new SpawnerLost());
      const outcome = outcomeOf(tools, exit, why, output);
      return {
        ...outcome,
        ...hiddenFrom(tools, view?.seen ?? null, outcome),
        ...limitsBetween(outcome, eventsBefore, eventsAfter),
      };
    }),
  );

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

/** How often the kernel has enforced the limits of the run's group; null where it has none. */
const limitEvents = ({ groups }: Tools, runId: string): LimitEvents | null =>
  groups?.areLimited === true ? groups.events(runId) : null;

/** Forgets a program that has not started. */
const failStart = Effect.fnUntraced(function* (
  { groups, supervisor }: Tools,
  runId: string,
  program: LiveProgram,
  failure: SpawnerLost | { readonly startError: string },
) {
  program.end();
  if (program.tree.ownsRun()) groups?.forget(runId);
  program.leave();
  if (supervisor?.hasDetached(runId) === true) yield* Effect.never;
  // Programs that it may have started have the run's id, by which the service ends them.
  return failure instanceof SpawnerLost
    ? yield* Effect.die(failure)
    : { ...nothingHappened, startError: failure.startError };
});

/** Records the start, feeds the program its input, and passes its output on until both streams end. */
const attendTo = Effect.fnUntraced(function* (
  spec: ProgramSpec,
  supervision: ProcessSupervision,
  started: Started,
  output: OutputWatch,
  inputUnread: Deferred.Deferred<void>,
) {
  // Nothing reads in the meantime, so the output is not complete even if the program has ended.
  output.progress.writing += 1;
  yield* supervision.onStarted(identityOf(started.program));
  output.progress.writing -= 1;
  output.progress.lastOutputAt = performance.now();
  started.supervised?.feed();
  if (started.stdin) feed(started.stdin, spec, () => Deferred.doneUnsafe(inputUnread, Effect.void));
  if (started.child !== null) spec.onPipe?.(programPipe(started.child));
  yield* Effect.all(
    [
      pump(started.stdout, "stdout", supervision, output, spec.keepPace),
      pump(started.stderr, "stderr", supervision, output),
    ],
    { concurrency: "unbounded", discard: true },
  );
});

/** A program that met a limit while it had no service was ended by its supervisor. */
const bySupervisor = ({ supervised }: Started, why: SupervisionEnd): SupervisionEnd =>
  why === "exited" ? (supervised?.ended ?? why) : why;

/** Ends the program's processes, and those of the run where it was the last program. */
const endPrograms = (
  { table, installation, groups, sandbox }: Tools,
  runId: string,
  { tree }: LiveProgram,
  { program: root, supervised }: Started,
  graceSec: number,
) =>
  endTree(
    table,
    {
      installation,
      runId,
      root,
      // The number of one that ended meanwhile may be another's.
      attended: (supervised?.exit ?? null) === null,
      groups,
      wrapper: sandbox?.wrapper ?? null,
      ...tree,
    },
    graceSec,
  );

const exitOf = ({ exited }: Started) =>
  firstOf([
    Effect.promise(() => exited),
    // Only a program that may not be signalled (set-uid) survives.
    Effect.as(Effect.sleep(exitStatusMs), { code: null, signal: null }),
  ]);

const closeStreams = ({ stdin, stdout, stderr, child }: Started): void => {
  for (const stream of [stdin, stdout, stderr]) stream?.destroy();
  if (child !== null) closePipes(child);
};

const outcomeOf = (
  { sandbox }: Tools,
  { code, signal }: { readonly code: number | null; readonly signal: string | null },
  why: SupervisionEnd | null,
  output: OutputWatch,
): ProcessOutcome => ({
  ...(sandbox === null ? { exitCode: code, signal } : unwrapExit(code, signal)),
  timedOut: why === "timed out",
  stopped: why === "stopped",
  endedAfterResult: why === "lingered after its result",
  ...(why === "fell silent" ? { silent: true as const } : {}),
  ...(why === "left its input unread" ? { unreadInput: true as const } : {}),
  ...(why === "took too much memory" ? { overMemory: true as const } : {}),
  ...(why === "took too much disk" ? { overDisk: true as const } : {}),
  stderrTail: output.stderrTail(),
});

/** The hidden files that the program's failure names. */
const hiddenFrom = (
  { sandbox }: Tools,
  seen: ProgramView | null,
  outcome: ProcessOutcome,
): Pick<ProcessOutcome, "missed"> => {
  const missed = sandbox === null || seen === null ? [] : missedIn(seen, outcome);
  return missed.length === 0 ? {} : { missed };
};

const limitsBetween = (outcome: ProcessOutcome, before: LimitEvents | null, after: LimitEvents | null) =>
  before === null || after === null
    ? reportedLimits(outcome)
    : limitsMet(outcome, {
        memoryKills: after.memoryKills - before.memoryKills,
        refusedForks: after.refusedForks - before.refusedForks,
      });

/** Joins the run's environment with the adapter's additions. An adapter cannot change the service's variables. */
const environment = (
  spec: ProgramSpec,
  supervision: ProcessSupervision,
  installation: InstallationId,
): Record<string, string> => {
  const isOurs = (name: string) =>
    name === runIdVariable ||
    name === installationVariable ||
    (isServiceVariable(name) && name in supervision.env);
  const env: Record<string, string> = { ...supervision.env };
  for (const name of spec.unsetEnv ?? []) if (!isOurs(name)) delete env[name];
  for (const [name, value] of Object.entries(spec.env ?? {})) if (!isOurs(name)) env[name] = value;
  env[runIdVariable] = supervision.runId;
  env[installationVariable] = installation;
  return env;
};

/** Exit codes by which a wrapper, like a shell, reports the signal that ended its program. */
const signalOfExit: Readonly<Record<number, NodeJS.Signals>> = {
  132: "SIGILL",
  134: "SIGABRT",
  135: "SIGBUS",
  136: "SIGFPE",
  137: "SIGKILL",
  139: "SIGSEGV",
  143: "SIGTERM",
  152: "SIGXCPU",
  153: "SIGXFSZ",
};

/** Returns how the isolated program ended, from its wrapper's exit. */
const unwrapExit = (code: number | null, signal: string | null) => {
  const ended = code === null ? undefined : signalOfExit[code];
  return ended === undefined ? { exitCode: code, signal } : { exitCode: null, signal: ended };
};
