import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import { actingRun } from "../../model/access/caller.ts";
import type { Issue } from "../../model/issues/issue.ts";
import { refusalOfFile, refusalOfWrite } from "../../model/issues/issue-actions.ts";

/** Refuses an agent outside a run, and one whose change affects somebody else's work or another live run. */
export const requireIssueWriter = Effect.fnUntraced(function* (unit: UnitOfWork, issue: Issue) {
  const { by } = unit;
  const holderIsActive = by.kind === "agent" && (yield* isHeldByOther(unit, issue));
  const refusal = refusalOfWrite({ issue, holderIsActive }, by);
  if (refusal !== null) yield* Effect.fail(refusal);
});

/** As above, for documents and files: an agent may not change those of somebody else's issue in any status. */
export const requireFileWriter = Effect.fnUntraced(function* (unit: UnitOfWork, issue: Issue) {
  const holderIsActive = unit.by.kind === "agent" && (yield* isHeldByOther(unit, issue));
  const refusal = refusalOfFile({ issue, holderIsActive }, unit.by);
  if (refusal !== null) yield* Effect.fail(refusal);
});

/** Whether a live run other than the actor's holds the issue. */
export const isHeldByOther = (
  unit: UnitOfWork,
  { checkoutRunId }: Pick<Issue, "checkoutRunId">,
): Effect.Effect<boolean> =>
  checkoutRunId === null || checkoutRunId === actingRun(unit.by)
    ? Effect.succeed(false)
    : unit.runs.isActive(checkoutRunId);
