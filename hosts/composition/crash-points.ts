import * as Effect from "effect/Effect";
import type { Conduct } from "../../core/runs/conduct-run.ts";
import { finishRun } from "../../core/runs/finish-run.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";

/** The moments in a run's life at which anything may die and nothing may get lost. */
export const crashPoints = [
  "before-pid-stored",
  "after-pid-stored",
  "mid-output",
  "after-result",
  "in-finish",
  "after-finish",
] as const;
export type CrashPoint = (typeof crashPoints)[number];

/**
 * For the fault suite: this process stops still (SIGSTOP) when it first comes to that point of a run, so that whoever
 * watches can kill it, its children or its database there, and let it go on. Around what conducts runs, and in nobody's
 * way where no point is set.
 */
export const stoppingAt = (
  point: CrashPoint,
  deps: Conduct,
  { transactor, clock, ids }: { transactor: Transactor; clock: Clock; ids: Ids },
): Conduct => {
  let passed = false;
  const halt = (here: CrashPoint) =>
    Effect.sync(() => {
      if (here !== point || passed) return;
      passed = true;
      process.kill(process.pid, "SIGSTOP");
    });
  /** Everything of the finish is written, and nothing committed. */
  const finish = finishRun(
    {
      transact: (work) =>
        transactor.transact((stores) => work(stores).pipe(Effect.tap(() => halt("in-finish")))),
    },
    clock,
    ids,
  );
  return {
    ...deps,
    runs: {
      ...deps.runs,
      noteProcess: (runId, identity) =>
        halt("before-pid-stored").pipe(
          Effect.andThen(deps.runs.noteProcess(runId, identity)),
          Effect.tap(() => halt("after-pid-stored")),
        ),
      finish: (command) =>
        halt("after-result").pipe(
          Effect.andThen(finish(command)),
          Effect.tap(() => halt("after-finish")),
        ),
    },
    runLogs: {
      ...deps.runLogs,
      open: (companyId, runId) =>
        Effect.map(deps.runLogs.open(companyId, runId), (log) => ({
          write: (stream, chunk) => log.write(stream, chunk).pipe(Effect.tap(() => halt("mid-output"))),
          tail: () => log.tail(),
          close: () => log.close(),
        })),
    },
  };
};
