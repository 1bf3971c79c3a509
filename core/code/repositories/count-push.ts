import type { Transactor } from "../../../ports/transactor.ts";
import type { RunId } from "../../model/shared/ids.ts";

export interface CountPush {
  readonly runId: RunId;
  /** As they were sent. */
  readonly bytes: number;
}

/** Counts a push of a run, for `noMorePushes`. */
export const countPush =
  (transactor: Transactor) =>
  ({ runId, bytes }: CountPush) =>
    transactor.transact(({ repositories }) => repositories.countPush(runId, bytes));
