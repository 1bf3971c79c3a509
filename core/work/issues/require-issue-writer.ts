import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import { type Actor, actingRun } from "../../model/access/caller.ts";
import type { Issue } from "../../model/issues/issue.ts";
import { refusalOfFile, refusalOfWrite } from "../../model/issues/issue-actions.ts";

/** Refuses an agent outside a run, and one whose change affects somebody else's work or another live run. */
export const requireIssueWriter = Effect.fnUntraced(function* (stores: Stores, issue: Issue, by: Actor) {
  const holderIsActive = by.kind === "agent" && (yield* isHeldByOther(stores, issue, by));
  const no = refusalOfWrite({ issue, holderIsActive }, by);
  if (no !== null) yield* Effect.fail(no);
});

/** As above, for documents and files: an agent may not change those of somebody else's issue in any status. */
export const requireFileWriter = Effect.fnUntraced(function* (unit: UnitOfWork, issue: Issue) {
  const holderIsActive = unit.by.kind === "agent" && (yield* isHeldByOther(unit, issue, unit.by));
  const no = refusalOfFile({ issue, holderIsActive }, unit.by);
  if (no !== null) yield* Effect.fail(no);
});

/** Whether a live run other than the actor's holds the issue. */
export const isHeldByOther = (
  stores: Stores,
  { checkoutRunId }: Pick<Issue, "checkoutRunId">,
  by: Actor,
): Effect.Effect<boolean> =>
  checkoutRunId === null || checkoutRunId === actingRun(by)
    ? Effect.succeed(false)
    : stores.runs.isActive(checkoutRunId);
