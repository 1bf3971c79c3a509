import type * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { ProcessIdentity } from "../../ports/process-runner.ts";
import type { RunEvent } from "../../ports/stores/run-store.ts";
import { jointUseCase, type UseCaseContext } from "../access/unit-of-work.ts";
import type { RunId } from "../model/shared/ids.ts";

/** A note that a service stores of a run while its program works. */
export type RunRecord =
  | { readonly runId: RunId; readonly event: Omit<RunEvent, "at"> }
  | { readonly runId: RunId; readonly process: ProcessIdentity };

/** Stores the note; returns false where the run has ended, which then stays unchanged. */
export type RecordOfRun = (note: RunRecord) => Effect.Effect<boolean>;

/** Stores notes of the runs of a service. */
export const runRecords: (context: UseCaseContext) => RecordOfRun = jointUseCase(
  "runs.note",
  {
    keyOf: () => "",
    // A run may start one program after another; the last one stays.
    conflictKeys: (note: RunRecord) => ("process" in note ? [note.runId] : []),
  },
  function* (unit, notes: readonly RunRecord[]) {
    const live = new Set(yield* unit.runs.lockLiveAmong(notes.map(({ runId }) => runId)));
    const { at } = unit;
    const ofLive = notes.filter(({ runId }) => live.has(runId));
    const events = ofLive.flatMap((note) => ("event" in note ? [{ ...note.event, at }] : []));
    if (events.length > 0) yield* unit.runs.appendEvents(events);
    const processes = ofLive.flatMap((note) => ("process" in note ? [note] : []));
    if (processes.length > 0) yield* unit.runs.recordProcesses(processes, at);
    return notes.map(({ runId }) => Result.succeed(live.has(runId)));
  },
);
