import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { isForAssignee } from "../model/runs/gate.ts";
import type { Run } from "../model/runs/run.ts";
import type { AgentId, IssueId, RunId } from "../model/shared/ids.ts";
import { stopRuns } from "./stop-runs.ts";

export interface RevokedIssue {
  readonly agentId: AgentId;
  readonly issueId: IssueId;
  /** The run that reassigns the issue itself; it continues. */
  readonly except: RunId | null;
}

/**
 * Ends the agent's run for an issue that is no longer its own. Other wakes of the agent, such as a mention, continue:
 * in the queued run itself where such a wake founded it, otherwise in a run of their own.
 */
export const revokeIssue = Effect.fnUntraced(function* (unit: UnitOfWork, lost: RevokedIssue) {
  const run = yield* unit.runs.lockLive(lost.agentId, lost.issueId);
  if (run === null || run.id === lost.except) return;
  if (run.status === "queued" && !isForAssignee(run)) return;
  const hasOthers =
    run.status === "queued" ? yield* detachWakes(unit, run, (wake) => !isForAssignee(wake)) : false;
  yield* stopRuns(unit, { runId: run.id }, "issue_reassigned");
  if (hasOthers) yield* unit.wakes.promote(run.agentId, run.issueId, unit.newId<"run">(), unit.at);
});

/**
 * Detaches from an ending queued run the wakes that outlive it; they wait to be promoted. Returns whether any exist.
 */
export const detachWakes = Effect.fnUntraced(function* (
  stores: Stores,
  run: Run,
  outlives: (wake: Pick<Run, "wakeReason" | "context">) => boolean,
) {
  const joined = yield* stores.wakes.joined(run.id);
  const others = joined.filter(({ reason, payload }) => outlives({ wakeReason: reason, context: payload }));
  if (others.length > 0) yield* stores.wakes.leave(others.map(({ id }) => id));
  return others.length > 0;
});
