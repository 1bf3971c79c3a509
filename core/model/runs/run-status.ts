import type { Moves } from "../shared/moves.ts";

export const runStatuses = [
  "queued",
  "running",
  "succeeded",
  "failed",
  "timed_out",
  "cancelled",
  "interrupted",
] as const;
export type RunStatus = (typeof runStatuses)[number];

export const runMoves = {
  queued: { running: "the gate lets it start", cancelled: "cancel, pause, or the gate refuses" },
  running: {
    succeeded: "the program ended well",
    failed: "the program, its provider or its preparation failed",
    timed_out: "it took longer than its adapter allows",
    cancelled: "it was stopped, and its process tree is dead",
    interrupted: "the service stopped or lost it",
  },
  succeeded: {},
  failed: {},
  timed_out: {},
  cancelled: {},
  interrupted: {},
} satisfies Moves<RunStatus>;

/** Live runs hold locks and slots; all others are final. */
export const liveRunStatuses = ["queued", "running"] as const satisfies readonly RunStatus[];

export const isLive = (status: RunStatus): boolean =>
  (liveRunStatuses as readonly RunStatus[]).includes(status);

/** The statuses of runs that ended with a failure that no caller requested. */
export const failedRunStatuses = [
  "failed",
  "timed_out",
  "interrupted",
] as const satisfies readonly RunStatus[];

/** Those of them that failed by themselves: the service lost or stopped an interrupted run. */
export const brokenRunStatuses = ["failed", "timed_out"] as const satisfies readonly RunStatus[];

export const hasFailed = (status: RunStatus): boolean =>
  (failedRunStatuses as readonly RunStatus[]).includes(status);

/** The statuses in which a running run ends. */
export type RunEnd = Exclude<RunStatus, (typeof liveRunStatuses)[number]>;

export const endedRunStatuses = runStatuses.filter((status): status is RunEnd => !isLive(status));
