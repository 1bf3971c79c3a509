import * as Effect from "effect/Effect";
import type { WorkOnHold } from "../../ports/stores/wake-store.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { notConcerned } from "../model/runs/gate.ts";
import { reasonsThatOutliveHolds } from "../model/runs/wake-reason.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";
import { IssueWakes } from "./issue-wakes.ts";

/**
 * After a hold is lifted: makes one wake per issue that can continue, and one for other comments and decisions that its agent
 * missed, with their reasons, so that none is lost and none repeats. A hold that ended before it was lifted, as a budget's does
 * with its month, may have let runs start since then: their issues need no wake.
 */
export const wakeAfterHold = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  of: WorkOnHold,
  companyId: CompanyId,
  endedAt: Instant = unit.at,
) {
  const { at } = unit;
  const [actionable, cutOff] = yield* Effect.all(
    [unit.issues.actionable(of, at), unit.wakes.cutOff(companyId, of, reasonsThatOutliveHolds)],
    { concurrency: "unbounded" },
  );
  const wakes = new IssueWakes(companyId);
  const started = endedAt === at ? new Set() : yield* unit.runs.startedOn(actionable, endedAt);
  for (const issue of actionable)
    if (!started.has(issue.id)) wakes.add(issue.assigneeAgentId, issue.id, "agent_resumed");
  for (const { agentId, issueId, issue, reason, payload } of cutOff)
    if (issue === null || notConcerned({ wakeReason: reason, context: payload }, agentId, issue) === null)
      wakes.add(agentId, issueId, reason, payload);
  yield* wakes.send(unit);
});
