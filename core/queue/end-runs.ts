import * as Effect from "effect/Effect";
import type { StoredRunEnd } from "../../ports/stores/run-store.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { bySystem } from "../model/access/caller.ts";
import { entryAbout } from "../model/activity/activity-entry.ts";
import { expiryResult } from "../model/issues/interactions/interaction.ts";
import { isReturned } from "../model/runs/messages/run-message.ts";
import { endLine, type Run, type RunVerdict } from "../model/runs/run.ts";
import { runMoves } from "../model/runs/run-status.ts";
import { mayMove } from "../model/shared/moves.ts";

/** The results of a run's program in addition to its status. */
export type Remains = Omit<StoredRunEnd, keyof RunVerdict | "line" | "at">;

const neverStarted: Remains = {
  exitCode: null,
  signal: null,
  lastOutput: null,
  summary: null,
  result: null,
  usage: null,
  costCents: null,
  sessionIdAfter: null,
};

/**
 * The only way to end runs: updates their rows, adds their last event, releases their issues and ends the wakes that waited for
 * their start. Open questions of their programs expire. Messages that never reached their programs pass to the next run,
 * including adopted ones. The runs are locked; one whose lifecycle does not allow the move stays unchanged. Returns the issues
 * left in progress under their locks; null if no run ended.
 */
export const endRuns = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  runs: readonly Run[],
  verdict: RunVerdict,
  remains: Remains = neverStarted,
  /** The prompts were received. */
  prompted = false,
) {
  const { at } = unit;
  const ended = runs.filter(({ status }) => mayMove(runMoves, status, verdict.status));
  if (ended.length === 0) return null;
  const ids = ended.map(({ id }) => id);
  yield* unit.runs.end(ids, { ...remains, ...verdict, line: endLine(verdict), at });
  const [released, open] = yield* Effect.all(
    [
      unit.issues.unlockAll(ids, at),
      unit.interactions.expireOfRuns(ids, expiryResult("request_permission", "run_ended"), at),
      unit.runMessages.leaveToNextRun(ids),
    ],
    { concurrency: "unbounded" },
  );
  if (isReturned(verdict.status, prompted)) yield* unit.runMessages.leaveAgain(ids);
  if (open.length > 0)
    yield* unit.activity.appendAll(
      open.map(({ id, companyId, issueId, kind }) =>
        entryAbout({ companyId, id: issueId }, bySystem, at, "issue.interaction_expired" as const, {
          interactionId: id,
          kind,
          reason: "run_ended",
        }),
      ),
    );
  yield* unit.wakes.cancelOfRuns(ids, verdict.errorCode ?? verdict.status, at);
  return { released };
});
