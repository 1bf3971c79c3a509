import type { Job } from "../access/job.ts";
import type { Costs } from "./index.ts";

export const moneyJobs = (costs: Pick<Costs, "liftHolds">): readonly Job[] => [
  // The gate ignores the holds of past months, lifted or not; this wakes the agents that had to wait, once a month.
  { name: "lifting budget holds of past months", everyMs: 10_000, run: costs.liftHolds() },
];
