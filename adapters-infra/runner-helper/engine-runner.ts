import { randomBytes } from "node:crypto";
import * as Effect from "effect/Effect";
import { isUuid } from "../../core/shared/ids.ts";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type {
  ProcessIdentity,
  ProcessRunner,
  ProcessSupervision,
  ProgramSpec,
} from "../../ports/process-runner.ts";
import { nothingHappened } from "../../ports/process-runner.ts";
import { type AttendedEngine, attendProgram } from "./attend-program.ts";
import type { EngineProgram } from "./engine-program.ts";
import { frameReader } from "./frame-reader.ts";
import { helperSpec, type ServiceFacts } from "./helper-spec.ts";

/** The calls that differ from engine to engine. A workload runs one program: a pod, a container. */
export interface Engine<Workload> extends AttendedEngine<Workload> {
  readonly scope: string;
  readonly service: ServiceFacts;
  /** Creates the workload, in which nothing runs yet. A sentence says why it cannot be made. */
  make(program: EngineProgram): Promise<{ readonly workload: Workload } | { readonly startError: string }>;
  identityOf(workload: Workload): ProcessIdentity;
  /** Ends and removes all that the engine has of a run. Rejects where it cannot know that all has ended. */
  endLeftovers(runId: string, graceSec: number): Promise<void>;
  /** The runs that have something on the engine. */
  runIds(): Promise<ReadonlySet<string>>;
}

/** Runs each program in a workload of its own, whose identity is stored before anything runs in it. */
export const engineRunner = <Workload>(engine: Engine<Workload>): ProcessRunner => ({
  scope: engine.scope,
  run: (spec, supervision) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const runPromise = Effect.runPromiseWith(yield* Effect.context<never>());
        const over = new AbortController();
        const program = runOn(
          engine,
          spec,
          supervision,
          AbortSignal.any([supervision.stop, over.signal]),
          (effect) => runPromise(effect),
        );
        // An interruption ends the program too, and waits for it.
        const finished = Effect.promise(() =>
          program.then(
            () => {},
            () => {},
          ),
        );
        yield* Effect.onInterrupt(restore(finished), () =>
          Effect.andThen(
            Effect.sync(() => over.abort()),
            finished,
          ),
        );
        return yield* Effect.promise(() => program);
      }),
    ),
  endLeftovers: (runId, _identity, graceSec) => Effect.promise(() => engine.endLeftovers(runId, graceSec)),
  runIdsAlive: () => Effect.promise(() => engine.runIds()),
});

const runOn = async <Workload>(
  engine: Engine<Workload>,
  spec: ProgramSpec,
  supervision: ProcessSupervision,
  stop: AbortSignal,
  run: (effect: Effect.Effect<void>) => Promise<void>,
): Promise<ProcessOutcome> => {
  const stopped = { ...nothingHappened, stopped: true };
  if (stop.aborted) return stopped;
  const given = await helperSpec(spec, supervision, engine.service);
  if ("startError" in given) return { ...nothingHappened, startError: given.startError };
  const { runId, workspace, env } = supervision;
  const program: EngineProgram = {
    name: `br-${isUuid(runId) ? runId : "check"}-${randomBytes(4).toString("hex")}`,
    runId,
    workspace,
    env,
    spec,
    specification: given.text,
    reader: frameReader(spec, (stream, chunk) => run(supervision.onOutput(stream, chunk))),
    stop,
    onPlacement: (placement) => run(supervision.onPlacement?.(placement) ?? Effect.void),
  };
  const made = await engine.make(program);
  if ("startError" in made)
    return stop.aborted ? stopped : { ...nothingHappened, startError: made.startError };
  // The helper keeps the program's own time limit, wherever it is: nothing of it lives afterwards.
  const { pendingSec, awaySec } = engine;
  const fencedAt = performance.now() + (spec.timeoutSec + spec.graceSec + pendingSec + awaySec) * 1000;
  try {
    await run(supervision.onStarted(engine.identityOf(made.workload)));
  } catch (error) {
    await engine.end(made.workload, program, false, fencedAt);
    throw error;
  }
  return await attendProgram(engine, made.workload, program, fencedAt);
};
