import * as Effect from "effect/Effect";
import type { RunEvent } from "../../ports/stores/run-store.ts";
import type { RunNotes } from "./run-notes.ts";

/** Adds an event to a run's story. A run that has ended gets no further events. */
export const noteEvent =
  (note: RunNotes) =>
  (event: Omit<RunEvent, "at">): Effect.Effect<void> =>
    Effect.asVoid(note({ runId: event.runId, event }));
