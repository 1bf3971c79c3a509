import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Views } from "../../ports/views.ts";
import { liftHolds } from "./lift-holds.ts";
import { reportCost } from "./report-cost.ts";
import { summariseCosts } from "./summarise-costs.ts";

/** The use cases of costs. Runs record their own costs. */
export const costs = (transactor: Transactor, clock: Clock, ids: Ids, views: Views) => ({
  report: reportCost(transactor, clock, ids),
  summarise: summariseCosts(views, clock),
  liftHolds: liftHolds(transactor, clock, ids),
});

export type Costs = ReturnType<typeof costs>;
