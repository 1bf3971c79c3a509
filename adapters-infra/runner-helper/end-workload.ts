import { isUuid } from "../../core/model/shared/ids.ts";
import { type Engine, helperGraceSec } from "./engine.ts";
import { pause } from "./follow-log.ts";
import { labelOf } from "./labels.ts";

/** How long the removal of a workload is tried; afterwards the comparison of runs and workloads removes it. */
const removeMs = 30_000;
const endingPollMs = 200;
/** Between two requests to an engine that is away. */
const awayMs = 1_000;
/** Longer than any program of no run lasts, and its output is read. */
const checkKeptMs = 2 * 3_600_000;

interface Ending {
  readonly graceSec: number;
  /** Nothing lives in it. */
  readonly ended: boolean;
  /** The deadline, as in `performance.now()`. */
  readonly until: number;
}

/**
 * Ends what lives in a workload, and removes the workload; asks until the engine answers. Returns false where it is not known
 * in time whether all has ended.
 */
export const endWorkload = async <Workload>(
  engine: Engine<Workload>,
  workload: Workload,
  { graceSec, ended, until }: Ending,
): Promise<boolean> => {
  const beganAt = performance.now();
  const never = new AbortController().signal;
  let isOver = false;
  let deadline = until;
  do {
    let waitMs = endingPollMs;
    try {
      if (!isOver) {
        isOver = ended || !(await engine.lives(workload));
        if (isOver) deadline = performance.now() + removeMs;
        else await engine.askToEnd(workload, graceSec, performance.now() - beganAt);
      }
      if (isOver && (await engine.remove(workload))) return true;
    } catch {
      waitMs = awayMs;
    }
    await pause(waitMs, never);
  } while (performance.now() < deadline);
  return isOver;
};

/** Ends and removes all that the engine has of a run. Throws where it cannot know that all has ended. */
export const endOrphans = async <Workload>(
  engine: Engine<Workload>,
  runId: string,
  graceSec: number,
): Promise<void> => {
  const found = await engine.find(labelOf(runId));
  const until = performance.now() + (Math.ceil(graceSec) + helperGraceSec + engine.endingSec) * 1000;
  await Promise.all(
    found.map(async ({ workload, ended }) => {
      if (await endWorkload(engine, workload, { graceSec, ended, until })) return;
      const name = `${engine.terms.kind} ${engine.identityOf(workload).name}`;
      throw new Error(
        `The ${name} has not ended: ${engine.endConfirmedBy(workload)} does not answer. It is tried again.`,
      );
    }),
  );
};

/**
 * The runs that have workloads, ended ones included, because those are to be removed; none where the engine does not
 * answer. Removes old workloads of checks.
 */
export const runIdsOn = async <Workload>(engine: Engine<Workload>): Promise<ReadonlySet<string>> => {
  const runIds = new Set<string>();
  for (const { workload, runId, ended, ageMs } of await engine.find().catch(() => []))
    if (isUuid(runId)) runIds.add(runId);
    else if (ended && ageMs > checkKeptMs) await engine.remove(workload).catch(() => false);
  return runIds;
};
