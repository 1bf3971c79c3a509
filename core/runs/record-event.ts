import * as Effect from "effect/Effect";
import type { RunEvent } from "../../ports/stores/run-store.ts";
import type { RecordOfRun } from "./run-records.ts";

/** Adds an event to a run's story. A run that has ended gets no further events. */
export const recordEvent =
  (record: RecordOfRun) =>
  (event: Omit<RunEvent, "at">): Effect.Effect<void> =>
    Effect.asVoid(record({ runId: event.runId, event }));
