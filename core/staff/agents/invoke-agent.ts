import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Stores, Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactAs } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import { refusalOfInvoke } from "../../model/agents/agent-actions.ts";
import type { WakePayload } from "../../model/runs/wake.ts";
import { ReferenceNotFound } from "../../model/shared/failure.ts";
import type { AgentId, CompanyId, IssueId, WakeId } from "../../model/shared/ids.ts";
import { projectHold } from "../../queue/require-no-hold.ts";
import { wakeAgent } from "../../queue/wake-agent.ts";

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
export const invokeAgent = (transactor: Transactor, clock: Clock, ids: Ids) => (command: InvokeAgent) =>
  transactAs(transactor, command.by, function* (stores) {
    const { by, agentId } = command;
    const agent = yield* stores.agents.lock(agentId);
    const at = clock.now();
    const company = agent.companyStatus;
    const issueId = command.issueId ?? null;
    const issue = issueId === null ? null : yield* issueOf(stores, agent.companyId, issueId);
    const projectHeldByBudgetAt = issue === null ? null : yield* projectHold(stores, issue);
    const no = refusalOfInvoke({ agent, company, issue, projectHeldByBudgetAt, at }, by);
    if (no !== null) yield* Effect.fail(no);
    yield* wakeAgent(stores, ids, {
      id: command.id,
      agent,
      company,
      issueId,
      reason: "manual",
      payload: command.payload ?? {},
      by,
      at,
    });
    yield* logAction(stores, agent, by, at, "heartbeat.invoked", { agentId });
  });

const issueOf = Effect.fnUntraced(function* (stores: Stores, companyId: CompanyId, issueId: IssueId) {
  const issue = yield* stores.issues
    .find(issueId)
    .pipe(Effect.mapError(() => ReferenceNotFound.at("issueId")));
  return issue.companyId === companyId ? issue : yield* Effect.fail(ReferenceNotFound.at("issueId"));
});
