import * as Effect from "effect/Effect";
import type { Job } from "../access/job.ts";
import { schedulerIntervalSec } from "../model/routines/catch-up.ts";
import type { HistoryRetention } from "./delete-old-history.ts";
import type { Runs } from "./index.ts";

export const runJobs = (
  runs: Pick<Runs, "correctTimers" | "deleteOldHistory" | "tickTimers">,
  retention: HistoryRetention,
): readonly Job[] => [
  { name: "firing timers", everyMs: 1_000, run: runs.tickTimers(100) },
  {
    name: "correcting timers after the clock was set back",
    everyMs: schedulerIntervalSec * 1_000,
    on: "clock_leap",
    run: runs.correctTimers(100),
  },
  {
    name: "deleting old history",
    everyMs: 5 * 60_000,
    sequential: true,
    run: Effect.suspend(() => runs.deleteOldHistory(retention)),
  },
];
