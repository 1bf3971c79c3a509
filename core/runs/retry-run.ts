import * as Effect from "effect/Effect";
import type { Views } from "../../ports/views.ts";
import { transact, type UseCaseContext } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { retryOf } from "../model/runs/run.ts";
import { refusalOfRetry } from "../model/runs/run-actions.ts";
import type { RunId, WakeId } from "../model/shared/ids.ts";
import { projectHold } from "../queue/require-no-hold.ts";
import { wake } from "../queue/wake-agent.ts";

export interface RetryRun {
  readonly id: WakeId;
  readonly runId: RunId;
  readonly by: Actor;
}

/** Wakes the agent of a failed run again, for the same issue and purpose. The gate judges the new run as any other. */
export const retryRun = (context: UseCaseContext, views: Views) => (command: RetryRun) =>
  Effect.gen(function* () {
    const { agentId, issueId } = (yield* views.runs.get(command.runId)).run;
    return yield* transact(context, "runs.retry", command.by, function* (unit) {
      const agent = yield* unit.agents.lock(agentId);
      const issue = issueId === null ? null : yield* unit.issues.lock(issueId).pipe(Effect.orDie);
      const run = yield* unit.runs.lock(command.runId);
      const projectHeldByBudgetAt = issue === null ? null : yield* projectHold(unit, issue);
      const refusal = refusalOfRetry({ ...run, agent, issue, projectHeldByBudgetAt, at: unit.at });
      if (refusal !== null) yield* Effect.fail(refusal);
      yield* wake(unit, agent, { id: command.id, issueId, reason: "run_retried", payload: retryOf(run) });
      yield* unit.log("heartbeat.retried", run, { agentId });
    });
  });
