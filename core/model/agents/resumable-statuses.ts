import type { AgentStatus } from "./agent-status.ts";

/** The statuses out of which resume, or the end of a hold, leads: the agent is held, or its last run failed. */
export const resumableStatuses: ReadonlySet<AgentStatus> = new Set<AgentStatus>(["paused", "error"]);
