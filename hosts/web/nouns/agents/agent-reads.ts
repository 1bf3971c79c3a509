import { startedStatuses } from "../../../../core/model/issues/issue-status.ts";
import { type Queries, readBefore, readPagesBefore } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";

export const openIssuesOf = ({ id: assigneeAgentId, companyId }: Pick<Agent, "id" | "companyId">) => ({
  companyId,
  assigneeAgentId,
  status: startedStatuses,
  limit: 20,
});

export const lastRunsOf = ({ id: agentId, companyId }: Pick<Agent, "id" | "companyId">) => ({
  companyId,
  agentId,
  limit: 5,
});

/** Begins what the parts of an agent's screen read at first, where it isn't kept yet. */
export const readAgentBefore = (queries: Queries, agent: Pick<Agent, "id" | "companyId">): void => {
  void readBefore(queries, "agents.explanation", { agentId: agent.id });
  void readPagesBefore(queries, "issues.list", openIssuesOf(agent));
  void readPagesBefore(queries, "runs.list", lastRunsOf(agent));
};
