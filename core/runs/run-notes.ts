import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { ProcessIdentity } from "../../ports/process-runner.ts";
import type { RunEvent } from "../../ports/stores/run-store.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { batchRequests } from "../shared/batch-requests.ts";
import type { RunId } from "../shared/ids.ts";

/** A note that a service stores of a run while its program works. */
export type RunNote =
  | { readonly runId: RunId; readonly event: Omit<RunEvent, "at"> }
  | { readonly runId: RunId; readonly process: ProcessIdentity };

/** Stores the note; returns false where the run has ended, which then stays unchanged. */
export type RunNotes = (note: RunNote) => Effect.Effect<boolean>;

/** How many notes one transaction stores at most. */
const mostNotesAtOnce = 64;

/**
 * Stores notes of all runs of a service. Those that arrive while others are stored share the next transaction: a service
 * that starts many runs at once then has few transactions.
 */
export const runNotes = (transactor: Transactor, clock: Clock): RunNotes => {
  const store = (batch: readonly RunNote[]) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const live = new Set(yield* stores.runs.lockLiveAmong(batch.map(({ runId }) => runId)));
        const at = clock.now();
        const ofLive = batch.filter(({ runId }) => live.has(runId));
        const events = ofLive.flatMap((note) => ("event" in note ? [{ ...note.event, at }] : []));
        if (events.length > 0) yield* stores.runs.appendEvents(events);
        const processes = ofLive.flatMap((note) => ("process" in note ? [note] : []));
        if (processes.length > 0) yield* stores.runs.noteProcesses(processes, at);
        return batch.map(({ runId }) => live.has(runId));
      }),
    );
  return batchRequests<RunNote, boolean, never>({
    groupOf: () => "",
    most: mostNotesAtOnce,
    // A run may start one program after another; the last one stays.
    mayJoin: (batch, note) =>
      "event" in note || !batch.some((other) => "process" in other && other.runId === note.runId),
    carryOut: (batch) => Effect.map(store(batch), (stored) => stored.map((isLive) => Effect.succeed(isLive))),
  });
};
