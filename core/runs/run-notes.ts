import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { Clock } from "../../ports/clock.ts";
import type { ProcessIdentity } from "../../ports/process-runner.ts";
import type { RunEvent } from "../../ports/stores/run-store.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { RunId } from "../model/shared/ids.ts";

/** A note that a service stores of a run while its program works. */
export type RunNote =
  | { readonly runId: RunId; readonly event: Omit<RunEvent, "at"> }
  | { readonly runId: RunId; readonly process: ProcessIdentity };

/** Stores the note; returns false where the run has ended, which then stays unchanged. */
export type RunNotes = (note: RunNote) => Effect.Effect<boolean>;

/** Stores notes of the runs of a service. */
export const runNotes = (transactor: Transactor, clock: Clock): RunNotes =>
  transactor.transactInBatches(
    {
      keyOf: () => "",
      // A run may start one program after another; the last one stays.
      apart: (note: RunNote) => ("process" in note ? [note.runId] : []),
    },
    Effect.fnUntraced(function* (stores, notes) {
      const live = new Set(yield* stores.runs.lockLiveAmong(notes.map(({ runId }) => runId)));
      const at = clock.now();
      const ofLive = notes.filter(({ runId }) => live.has(runId));
      const events = ofLive.flatMap((note) => ("event" in note ? [{ ...note.event, at }] : []));
      if (events.length > 0) yield* stores.runs.appendEvents(events);
      const processes = ofLive.flatMap((note) => ("process" in note ? [note] : []));
      if (processes.length > 0) yield* stores.runs.noteProcesses(processes, at);
      return notes.map(({ runId }) => Result.succeed(live.has(runId)));
    }),
  );
