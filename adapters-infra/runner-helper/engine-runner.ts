import { randomBytes } from "node:crypto";
import * as Effect from "effect/Effect";
import { isUuid } from "../../core/shared/ids.ts";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { ProcessRunner, ProcessSupervision, ProgramSpec } from "../../ports/process-runner.ts";
import { nothingHappened } from "../../ports/process-runner.ts";
import { attendProgram } from "./attend-program.ts";
import { endLeftovers, endWorkload, runIdsOn } from "./end-workload.ts";
import { type Engine, lifetimeSec } from "./engine.ts";
import type { EngineProgram } from "./engine-program.ts";
import { frameReader } from "./frame-reader.ts";
import { helperSpec } from "./helper-spec.ts";
import { InputChannel } from "./input-channel.ts";
import { makeWorkload } from "./make-workload.ts";

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
  endLeftovers: (runId, _identity, graceSec) => Effect.promise(() => endLeftovers(engine, runId, graceSec)),
  runIdsAlive: () => Effect.promise(() => runIdsOn(engine)),
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
  const { runId, workspace, env, waits } = supervision;
  const input = new InputChannel();
  let isOpen = false;
  const onConfirmed = (upTo: number) => {
    input.confirm(upTo);
    if (!isOpen) spec.onInput?.(input.input);
    isOpen = true;
  };
  const program: EngineProgram = {
    name: `br-${isUuid(runId) ? runId : "check"}-${randomBytes(4).toString("hex")}`,
    runId,
    workspace,
    env,
    spec,
    specification: given.text,
    reader: frameReader(spec, (stream, chunk) => run(supervision.onOutput(stream, chunk)), onConfirmed),
    input,
    stop,
    onPlacement: (placement) => run(supervision.onPlacement?.(placement) ?? Effect.void),
  };
  const made = await makeWorkload(engine, program);
  if ("startError" in made)
    return stop.aborted ? stopped : { ...nothingHappened, startError: made.startError };
  // Nothing of it lives afterwards, though the engine may be away.
  const fencedAt = performance.now() + (lifetimeSec(spec, engine) + engine.endingSec) * 1000;
  try {
    await run(supervision.onStarted(engine.identityOf(made.workload)));
  } catch (error) {
    await endWorkload(engine, made.workload, { graceSec: spec.graceSec, ended: false, until: fencedAt });
    throw error;
  }
  const unwatch = waits?.watch(() =>
    input.send({ waits: { isOpen: waits.isOpen(), totalMs: waits.totalMs() } }),
  );
  try {
    return await attendProgram(engine, made.workload, program, fencedAt);
  } finally {
    unwatch?.();
  }
};
