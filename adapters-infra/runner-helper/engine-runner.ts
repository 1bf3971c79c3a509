import { randomBytes } from "node:crypto";
import * as Effect from "effect/Effect";
import { isUuid } from "../../core/model/shared/ids.ts";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { ProcessRunner, ProcessSupervision, ProgramSpec } from "../../ports/process-runner.ts";
import { nothingHappened } from "../../ports/process-runner.ts";
import { attendProgram } from "./attend-program.ts";
import { endOrphans, endWorkload, runIdsOn } from "./end-workload.ts";
import { type Engine, lifetimeSec } from "./engine.ts";
import type { EngineProgram } from "./engine-program.ts";
import { pause } from "./follow-log.ts";
import { frameReader } from "./frame-reader.ts";
import type { HandoverFiles } from "./handover-files.ts";
import { helperSpec } from "./helper-spec.ts";
import { InputChannel } from "./input-channel.ts";
import { labelOf, objectName } from "./labels.ts";
import { makeWorkload } from "./make-workload.ts";

/** Runs each program in a workload of its own, whose identity is stored before anything runs in it. */
export const engineRunner = <Workload>(
  engine: Engine<Workload>,
  handover: HandoverFiles | null,
): ProcessRunner => ({
  scope: engine.scope,
  mayOutlive: handover !== null,
  run: (spec, supervision) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const runPromise = Effect.runPromiseWith(yield* Effect.context<never>());
        const over = new AbortController();
        const program = runOn(engine, handover, spec, supervision, {
          stop: AbortSignal.any([supervision.stop, over.signal]),
          run: (effect) => runPromise(effect),
        });
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
  endOrphans: (runId, _identity, graceSec) => Effect.promise(() => endOrphans(engine, runId, graceSec)),
  runIdsAlive: () => Effect.promise(() => runIdsOn(engine)),
});

interface RunIo {
  readonly stop: AbortSignal;
  readonly run: (effect: Effect.Effect<void>) => Promise<void>;
}

const runOn = async <Workload>(
  engine: Engine<Workload>,
  handover: HandoverFiles | null,
  spec: ProgramSpec,
  supervision: ProcessSupervision,
  { stop, run }: RunIo,
): Promise<ProcessOutcome> => {
  const stopped = { ...nothingHappened, stopped: true };
  const isStep = supervision.handoverState === undefined;
  const isAdopted = !isStep && (handover?.take(supervision.runId) ?? false);
  // A program that lives is attended to, also to end it.
  if (stop.aborted && !isAdopted) return stopped;
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
  const detached = new AbortController();
  const program: EngineProgram = {
    name: objectName(
      engine.service.installation,
      isUuid(runId) ? runId : "check",
      randomBytes(4).toString("hex"),
    ),
    runId,
    workspace,
    env,
    spec,
    specification: given.text,
    reader: frameReader(spec, (stream, chunk) => run(supervision.onOutput(stream, chunk)), onConfirmed),
    input,
    stop,
    isAdopted,
    detached: detached.signal,
    onPlacement: (placement) => run(supervision.onPlacement?.(placement) ?? Effect.void),
  };
  // Nothing of it lives afterwards, though the engine may be away.
  const fence = () => performance.now() + (lifetimeSec(spec, engine) + engine.endingSec) * 1000;
  const made = isAdopted ? await workloadOf(engine, runId, fence()) : await makeWorkload(engine, program);
  if ("startError" in made)
    return stop.aborted ? stopped : { ...nothingHappened, startError: made.startError };
  const fencedAt = fence();
  try {
    await run(supervision.onStarted(engine.identityOf(made.workload)));
    if (supervision.handoverState === undefined) await handover?.step(runId);
    // Input that the program has read cannot be repeated.
    else if (spec.onInput !== undefined) await handover?.markUnrecoverable(runId);
    else await handover?.store(runId, supervision.handoverState(), detached);
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

const awayMs = 1_000;

/** Finds the workload that a service which is gone has made for the run; asks until the engine answers. */
const workloadOf = async <Workload>(
  engine: Engine<Workload>,
  runId: string,
  until: number,
): Promise<{ readonly workload: Workload } | { readonly startError: string }> => {
  const { signal } = new AbortController();
  const { kind, away } = engine.terms;
  while (performance.now() < until) {
    const all = await engine.find(labelOf(runId)).catch(() => null);
    const found = all?.find(({ ended }) => !ended) ?? all?.[0];
    if (found !== undefined) return found;
    if (all !== null) return { startError: `Its ${kind} was removed while no service was there.` };
    await pause(awayMs, signal);
  }
  return { startError: away };
};
