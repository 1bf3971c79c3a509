import * as Effect from "effect/Effect";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { resume } from "../../model/agents/agent.ts";
import { holdsOn } from "../../model/agents/holds.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { wakeAfterHold } from "../../queue/wake-after-hold.ts";

export interface ResumeAgent {
  readonly agentId: AgentId;
  readonly by: Actor;
}

/** Lifts the manual hold. If no other hold applies, wakes the agent once for each issue that it can continue. */
export const resumeAgent = useCase("agents.resume", function* (unit, command: ResumeAgent) {
  const { agentId } = command;
  const agent = yield* unit.agents.lock(agentId);
  const resumed = yield* Effect.fromResult(resume(agent, unit.at));
  if (agent.heldManuallyAt === null && agent.errorReason === null) return agent;
  yield* unit.agents.save(resumed);
  yield* unit.log("agent.resumed", agent, {});
  if (agent.heldManuallyAt === null) return resumed;
  // Read behind the agent's lock: it may have waited for a resume of the company, which leaves the wakes to this one.
  const company = yield* Effect.orDie(unit.companies.status(agent.companyId));
  const holder = { ...resumed, companyHeldByBudgetAt: company.heldByBudgetAt };
  // The end of another hold wakes it.
  if (holdsOn(holder, company.status, unit.at).length === 0)
    yield* wakeAfterHold(unit, { agentId }, agent.companyId);
  return resumed;
});
