import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Views } from "../../ports/views.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { retryOf } from "../model/runs/run.ts";
import { refusalOfRetry } from "../model/runs/run-actions.ts";
import type { RunId, WakeId } from "../model/shared/ids.ts";
import { projectHold } from "../queue/require-no-hold.ts";
import { wakeAgent } from "../queue/wake-agent.ts";

export interface RetryRun {
  readonly id: WakeId;
  readonly runId: RunId;
  readonly by: Actor;
}

/** Wakes the agent of a failed run again, for the same issue and purpose. The gate judges the new run as any other. */
export const retryRun =
  (transactor: Transactor, clock: Clock, ids: Ids, views: Views) => (command: RetryRun) =>
    Effect.gen(function* () {
      const { agentId, issueId } = yield* views.runs.get(command.runId);
      return yield* transact(transactor, function* (stores) {
        const { id, by } = command;
        const agent = yield* stores.agents.lock(agentId);
        const issue = issueId === null ? null : yield* stores.issues.lock(issueId).pipe(Effect.orDie);
        const run = yield* stores.runs.lock(command.runId);
        const at = clock.now();
        const projectHeldByBudgetAt = issue === null ? null : yield* projectHold(stores, issue);
        const no = refusalOfRetry({ ...run, agent, issue, projectHeldByBudgetAt, at });
        if (no !== null) yield* Effect.fail(no);
        yield* wakeAgent(stores, ids, {
          id,
          agent,
          company: agent.companyStatus,
          issueId,
          reason: "run_retried",
          payload: retryOf(run),
          by,
          at,
        });
        yield* logAction(stores, run, by, at, "heartbeat.retried", { agentId });
      });
    });
