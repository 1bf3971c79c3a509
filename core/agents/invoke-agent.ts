import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import { requireProjectBudget } from "../projects/require-budget.ts";
import type { WakePayload } from "../runs/wake.ts";
import { wakeAgent } from "../runs/wake-agent.ts";
import { ReferenceNotFound } from "../shared/failure.ts";
import type { AgentId, IssueId, WakeId } from "../shared/ids.ts";
import { refusalOfInvoke } from "./agent-actions.ts";

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
  transactAs(transactor, command.by, (stores) =>
    Effect.gen(function* () {
      const { by, agentId } = command;
      const agent = yield* stores.agents.lock(agentId);
      const at = clock.now();
      const no = refusalOfInvoke({ ...agent, at }, by);
      if (no !== null) yield* Effect.fail(no);
      const issueId = command.issueId ?? null;
      if (issueId !== null) {
        const issue = yield* stores.issues
          .find(issueId)
          .pipe(Effect.mapError(() => ReferenceNotFound.at("issueId")));
        if (issue.companyId !== agent.companyId) yield* Effect.fail(ReferenceNotFound.at("issueId"));
        yield* requireProjectBudget(stores, issue, at);
      }
      yield* wakeAgent(stores, ids, {
        id: command.id,
        agent,
        company: agent.companyStatus,
        issueId,
        reason: "manual",
        payload: command.payload ?? {},
        by,
        at,
      });
      yield* stores.activity.append({
        companyId: agent.companyId,
        by,
        at,
        action: "heartbeat.invoked",
        entityId: agentId,
        details: { agentId },
      });
    }),
  );
