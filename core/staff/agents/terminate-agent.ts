import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
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
export const terminateAgent = (transactor: Transactor, clock: Clock, ids: Ids) => (command: TerminateAgent) =>
  transact(transactor, function* (stores) {
    const { agentId, by } = command;
    const agent = yield* stores.agents.lock(agentId);
    const at = clock.now();
    const terminated = terminate(agent, at);
    if (terminated === agent) return agent;
    yield* stores.agents.save(terminated);
    yield* stores.agents.revokeKeys(agentId, at);
    if (agent.lifecycleState === "pending_approval") yield* callOffHire(stores, ids, agentId, by, at);
    yield* stopRuns(stores, { agentId }, "agent_terminated", at);
    yield* stores.wakes.cancelPending({ agentId }, "agent_terminated", at);
    yield* logAction(stores, agent, by, at, "agent.terminated", {});
    return terminated;
  });
