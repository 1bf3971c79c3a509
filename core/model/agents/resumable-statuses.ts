import type { AgentStatus } from "./agent-status.ts";

/** The statuses that resuming, or the end of a hold, leaves: the agent is on hold, or its last run failed. */
export const resumableStatuses: ReadonlySet<AgentStatus> = new Set<AgentStatus>(["paused", "error"]);
