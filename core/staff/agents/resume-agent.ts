import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import { resume } from "../../model/agents/agent.ts";
import { holdsOn } from "../../model/agents/holds.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { wakeAfterHold } from "../../queue/wake-after-hold.ts";

export interface ResumeAgent {
  readonly agentId: AgentId;
  readonly by: Actor;
}

/** Lifts the manual hold. Where no other hold applies, wakes the agent once for each issue that it can continue. */
export const resumeAgent = (transactor: Transactor, clock: Clock, ids: Ids) => (command: ResumeAgent) =>
  transact(transactor, function* (stores) {
    const { agentId, by } = command;
    const agent = yield* stores.agents.lock(agentId);
    const at = clock.now();
    const resumed = yield* Effect.fromResult(resume(agent, at));
    if (agent.heldManuallyAt === null && agent.errorReason === null) return agent;
    yield* stores.agents.save(resumed);
    yield* logAction(stores, agent, by, at, "agent.resumed", {});
    if (agent.heldManuallyAt === null) return resumed;
    // Read behind the agent's lock: it may have waited for a resume of the company, which leaves the wakes to this one.
    const company = yield* Effect.orDie(stores.companies.status(agent.companyId));
    const held = { ...resumed, companyHeldByBudgetAt: company.heldByBudgetAt };
    // The end of another hold wakes it.
    if (holdsOn(held, company.status, at).length === 0)
      yield* wakeAfterHold(stores, ids, { agentId }, agent.companyId, by, at);
    return resumed;
  });
