import type { AgentStatus, LifecycleState } from "./agent-status.ts";

/** Whether work can be given to an agent; by its status, or its state without holds and runs. */
export const takesWork = (state: AgentStatus | LifecycleState): boolean =>
  state !== "terminated" && state !== "pending_approval";
