import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { RunEvent } from "../../ports/stores/run-store.ts";
import type { Transactor } from "../../ports/transactor.ts";

/** Adds an event to a run's story. A run that has ended gets no further events. */
export const noteEvent = (transactor: Transactor, clock: Clock) => (event: Omit<RunEvent, "at">) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      if (yield* stores.runs.isActive(event.runId))
        yield* stores.runs.appendEvent({ ...event, at: clock.now() });
    }),
  );
