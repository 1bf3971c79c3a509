import * as Effect from "effect/Effect";
import type { Job } from "../../access/job.ts";
import type { IssueWorkspaceUseCases } from "./index.ts";
import { retryCapturesEveryMs } from "./retry-captures.ts";

const sweepMs = 10 * 60_000;

/** Those that run commands or read large workspaces are not sequential: they may take minutes. */
export const workspaceJobs = (
  issueWorkspaces: Pick<IssueWorkspaceUseCases, "finishRemovals" | "retryCaptures" | "repairPacks" | "sweep">,
): readonly Job[] => [
  {
    name: "removing workspaces of closed issues",
    everyMs: sweepMs,
    sequential: true,
    run: Effect.suspend(() => issueWorkspaces.sweep()),
  },
  {
    name: "checking the packs of runs",
    everyMs: sweepMs,
    sequential: true,
    run: Effect.suspend(() => issueWorkspaces.repairPacks()),
  },
  // One for each disk.
  ...issueWorkspaces.finishRemovals().map((run) => ({ name: "removing workspaces", everyMs: 2_000, run })),
  {
    name: "capturing what ended runs left in workspaces",
    everyMs: retryCapturesEveryMs,
    run: Effect.suspend(() => issueWorkspaces.retryCaptures()),
  },
];
