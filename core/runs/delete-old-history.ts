import * as Effect from "effect/Effect";
import type { HistoryStore } from "../../ports/stores/history-store.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import { addSeconds, type Instant } from "../model/shared/instant.ts";
import { foldCosts } from "../money/fold-costs.ts";

/** For how many days history is kept; null: without end. */
export interface HistoryRetention {
  /** The events, logs and wakes of a run after its end, and what was sent with a firing. */
  readonly runDetailsDays: number | null;
  /** Activity entries and the use of secrets. */
  readonly activityDays: number | null;
  /** Cost events, after whose months only their sums are known. */
  readonly costEventsDays: number | null;
}

const daySec = 24 * 60 * 60;
/** For this time a second use of a link is recognised as one. */
const signInDays = 30;
/** A run may have thousands of events. */
const runsAtOnce = 20;
const rowsAtOnce = 1_000;

/**
 * Deletes some of what is older than the operator keeps, each kind in a short transaction of its own. Returns whether
 * there may be more.
 */
export const deleteOldHistory =
  (context: UseCaseContext) =>
  ({ runDetailsDays, activityDays, costEventsDays }: HistoryRetention): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      const at = context.clock.now();
      let isMore = false;
      const deleteSome = Effect.fnUntraced(function* (
        days: number | null,
        limit: number,
        some: (history: HistoryStore, before: Instant, limit: number) => Effect.Effect<number>,
      ) {
        if (days === null) return;
        const before = addSeconds(at, -days * daySec);
        const deleted = yield* context.transactor.transact(({ history }) => some(history, before, limit));
        isMore ||= deleted === limit;
      });
      yield* deleteSome(runDetailsDays, runsAtOnce, (history, before, limit) =>
        history.deleteRunDetails(before, limit, at),
      );
      yield* deleteSome(runDetailsDays, rowsAtOnce, (history, ...which) => history.deleteLoneWakes(...which));
      yield* deleteSome(runDetailsDays, rowsAtOnce, (history, ...which) =>
        history.deleteFiringPayloads(...which),
      );
      yield* deleteSome(activityDays, rowsAtOnce, (history, ...which) => history.deleteActivity(...which));
      yield* deleteSome(activityDays, rowsAtOnce, (history, ...which) =>
        history.deleteSecretAccess(...which),
      );
      yield* deleteSome(signInDays, rowsAtOnce, (history, ...which) => history.deleteSessions(...which));
      yield* deleteSome(signInDays, rowsAtOnce, (history, ...which) => history.deleteSignInCodes(...which));
      yield* deleteSome(signInDays, rowsAtOnce, (history, ...which) => history.deleteSignIns(...which));
      if (costEventsDays !== null && (yield* foldCosts(context)(costEventsDays))) isMore = true;
      return isMore;
    });
