import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { terminate } from "../../model/agents/agent.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { stopRuns } from "../../queue/stop-runs.ts";
import { callOffHire } from "../approvals/call-off-hire.ts";

export interface TerminateAgent {
  readonly agentId: AgentId;
  readonly by: Actor;
}

/**
 * Terminates an agent permanently and rejects the hire of a draft. Revokes its keys and ends its runs; its issues stay
 * assigned to it until they are reassigned.
 */
export const terminateAgent = useCase("agents.terminate", function* (unit, command: TerminateAgent) {
  const { agentId } = command;
  const agent = yield* unit.agents.lock(agentId);
  const terminated = terminate(agent, unit.at);
  if (terminated === agent) return agent;
  yield* unit.agents.save(terminated);
  yield* unit.agents.revokeKeys(agentId, unit.at);
  if (agent.lifecycleState === "pending_approval") yield* callOffHire(unit, agentId);
  yield* stopRuns(unit, { agentId }, "agent_terminated");
  yield* unit.wakes.cancelPending({ agentId }, "agent_terminated", unit.at);
  yield* unit.log("agent.terminated", agent, {});
  return terminated;
});
