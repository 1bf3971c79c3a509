import type { Views } from "../../ports/views.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import { liftHolds } from "./lift-holds.ts";
import { reportCost } from "./report-cost.ts";
import { summariseCosts } from "./summarise-costs.ts";

/** The use cases of costs. Runs record their own costs. */
export const costs = (context: UseCaseContext, views: Views) => ({
  report: reportCost(context),
  summarise: summariseCosts(views, context.clock),
  liftHolds: liftHolds(context),
});

export type Costs = ReturnType<typeof costs>;
