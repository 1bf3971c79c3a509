import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { liftHolds } from "./lift-holds.ts";
import { reportCost } from "./report-cost.ts";

/** Everything that can be done about costs. What runs use is recorded by the runs themselves. */
export const costs = (transactor: Transactor, clock: Clock, ids: Ids) => ({
  report: reportCost(transactor, clock, ids),
  liftHolds: liftHolds(transactor, clock, ids),
});

export type Costs = ReturnType<typeof costs>;
