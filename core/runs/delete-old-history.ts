import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { addSeconds, type Instant } from "../shared/instant.ts";

/** For how many days history is kept; null: without end. */
export interface KeptHistory {
  /** The events and logs of a run, after its end. */
  readonly runDetailsDays: number | null;
  readonly activityDays: number | null;
}

const daySec = 24 * 60 * 60;
const runsPerBatch = 20;
const entriesPerBatch = 1_000;
/** Limit of one call, so that old history goes little by little. */
const mostBatches = 50;

/** Deletes the events and logs of runs, and the activity, that are older than the operator keeps. */
export const deleteOldHistory =
  (transactor: Transactor, clock: Clock) =>
  ({ runDetailsDays, activityDays }: KeptHistory): Effect.Effect<void> =>
    Effect.gen(function* () {
      const at = clock.now();
      const before = (days: number): Instant => addSeconds(at, -days * daySec);
      if (runDetailsDays !== null)
        yield* inBatches(transactor, runsPerBatch, ({ runs }) =>
          runs.deleteDetails(before(runDetailsDays), runsPerBatch, at),
        );
      if (activityDays !== null)
        yield* inBatches(transactor, entriesPerBatch, ({ activity }) =>
          activity.deleteBefore(before(activityDays), entriesPerBatch),
        );
    });

const inBatches = Effect.fnUntraced(function* (
  transactor: Transactor,
  perBatch: number,
  deleteSome: (stores: Stores) => Effect.Effect<number>,
) {
  for (let batch = 0; batch < mostBatches; batch++)
    if ((yield* transactor.transact(deleteSome)) < perBatch) return;
});
