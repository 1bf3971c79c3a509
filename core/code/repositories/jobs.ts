import * as Effect from "effect/Effect";
import type { Job } from "../../access/job.ts";
import type { Repositories } from "./index.ts";

/** Those that call a host or run commands are not sequential: they may take minutes. */
export const repositoryJobs = (
  repositories: Pick<Repositories, "maintainStores" | "pollPullRequests" | "recoverMerges" | "runGateChecks">,
): readonly Job[] => [
  {
    name: "ending merges of killed services",
    everyMs: 5_000,
    run: Effect.suspend(() => repositories.recoverMerges()),
  },
  {
    name: "running the commands of gates",
    everyMs: 2_000,
    run: Effect.suspend(() => repositories.runGateChecks()),
  },
  {
    // Polls those that are due: each has a time of its own.
    name: "polling pull requests",
    everyMs: 5_000,
    run: Effect.suspend(() => repositories.pollPullRequests()),
  },
  {
    // Also at the start: what a killed service left would stop every fetch.
    name: "repairing and packing the stores of repositories",
    everyMs: 6 * 3_600_000,
    sequential: true,
    run: Effect.suspend(() => repositories.maintainStores()),
  },
];
