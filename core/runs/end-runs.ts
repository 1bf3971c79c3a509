import * as Effect from "effect/Effect";
import type { RunEnding } from "../../ports/stores/run-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { Instant } from "../shared/instant.ts";
import { mayMove } from "../shared/moves.ts";
import { endLine, type Run, type RunVerdict } from "./run.ts";
import { runMoves } from "./run-status.ts";

/** What the program of a run left behind, beside how it ended. */
export type Remains = Omit<RunEnding, keyof RunVerdict | "line" | "at">;

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
 * The one way a run ends: its row, the last line of its story, the locks on its issues, and the wakes that waited for its
 * start. The runs are locked. A run that its lifecycle lets not end so stays as it is. Answers with the
 * issues that were left in progress under their locks; null where no run ended.
 */
export const endRuns = Effect.fnUntraced(function* (
  stores: Stores,
  runs: readonly Run[],
  verdict: RunVerdict,
  at: Instant,
  remains: Remains = neverStarted,
) {
  const ended = runs.filter(({ status }) => mayMove(runMoves, status, verdict.status));
  if (ended.length === 0) return null;
  const ids = ended.map(({ id }) => id);
  yield* stores.runs.end(ids, { ...remains, ...verdict, line: endLine(verdict), at });
  const left = yield* stores.issues.unlockAll(ids, at);
  yield* stores.wakes.cancelOfRuns(ids, verdict.errorCode ?? verdict.status, at);
  return { left };
});
