import { clause } from "../../core/model/shared/sentence.ts";
import type { Engine, EngineTerms } from "./engine.ts";
import type { EngineProgram } from "./engine-program.ts";
import { pause } from "./follow-log.ts";
import { labelOf } from "./labels.ts";
import { RefusedByEngine } from "./refused.ts";

/** How long an engine that does not answer, or refuses for now, may take to make a workload. */
const makeSec = 60;
const againMs = 1_000;

/** Creates the workload of a program as soon as its engine lets it, or says why it cannot be made: then nothing of it stays. */
export const makeWorkload = async <Workload>(
  engine: Engine<Workload>,
  program: EngineProgram,
): Promise<{ readonly workload: Workload } | { readonly startError: string }> => {
  const { stop, onPlacement } = program;
  const beganAt = performance.now();
  while (!stop.aborted) {
    const waitedSec = (performance.now() - beganAt) / 1000;
    const made = await engine
      .make(program, waitedSec)
      .catch((error: Error) => notMade(engine, error, waitedSec > makeSec));
    if ("workload" in made) return made;
    if ("startError" in made) {
      await discard(engine, program);
      return made;
    }
    await onPlacement({ node: null, waitsFor: made.waitsFor });
    await pause(againMs, stop);
  }
  await discard(engine, program);
  return { startError: `It was stopped before its ${engine.terms.kind} was made.` };
};

const notMade = (
  { terms }: { readonly terms: EngineTerms },
  error: Error,
  isLate: boolean,
): { readonly startError: string } | { readonly waitsFor: string } => {
  const { message } = error;
  if (error instanceof RefusedByEngine)
    return error.passing && !isLate ? { waitsFor: message } : { startError: message };
  const silent = `${terms.engine} does not answer`;
  return isLate ? { startError: `${silent}: ${clause(message)}.` } : { waitsFor: `${silent}.` };
};

/** Removes what an attempt has left whose answer was lost. The comparison of runs and workloads removes the rest. */
const discard = async <Workload>(engine: Engine<Workload>, { runId, name }: EngineProgram): Promise<void> => {
  for (const { workload } of await engine.find(labelOf(runId)).catch(() => []))
    if (engine.identityOf(workload).name === name) await engine.remove(workload).catch(() => false);
};
