import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { refusalOfInvoke } from "../../model/agents/agent-actions.ts";
import type { WakePayload } from "../../model/runs/wake.ts";
import { ReferenceNotFound } from "../../model/shared/failure.ts";
import type { AgentId, CompanyId, IssueId, WakeId } from "../../model/shared/ids.ts";
import { projectHold } from "../../queue/require-no-hold.ts";
import { wake } from "../../queue/wake-agent.ts";

export interface InvokeAgent {
  readonly id: WakeId;
  readonly agentId: AgentId;
  readonly by: Actor;
  readonly issueId?: IssueId | undefined;
  readonly payload?: WakePayload | undefined;
}

/**
 * Wakes an agent by hand: creates or joins a run. While a run of the same agent and issue is running, the wake starts
 * the run after it.
 */
export const invokeAgent = useCase("agents.invoke", function* (unit, command: InvokeAgent) {
  const { agentId } = command;
  const agent = yield* unit.agents.lock(agentId);
  const company = agent.companyStatus;
  const issueId = command.issueId ?? null;
  const issue = issueId === null ? null : yield* issueOf(unit, agent.companyId, issueId);
  const projectHeldByBudgetAt = issue === null ? null : yield* projectHold(unit, issue);
  const refusal = refusalOfInvoke({ agent, company, issue, projectHeldByBudgetAt, at: unit.at }, unit.by);
  if (refusal !== null) yield* Effect.fail(refusal);
  yield* wake(unit, agent, { id: command.id, issueId, reason: "manual", payload: command.payload ?? {} });
  yield* unit.log("heartbeat.invoked", agent, { agentId });
});

const issueOf = Effect.fnUntraced(function* (stores: Stores, companyId: CompanyId, issueId: IssueId) {
  const issue = yield* stores.issues
    .find(issueId)
    .pipe(Effect.mapError(() => ReferenceNotFound.at("issueId")));
  return issue.companyId === companyId ? issue : yield* Effect.fail(ReferenceNotFound.at("issueId"));
});
