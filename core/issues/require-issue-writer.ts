import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { type Actor, actingRun, requireRun } from "../access/caller.ts";
import { isAssigned } from "./assignee.ts";
import { agentMayChange, type Issue, IssueNotYours } from "./issue.ts";

/** Refuses an agent outside a run, and one whose change affects somebody else's work or another live run. */
export const requireIssueWriter = Effect.fnUntraced(function* (stores: Stores, issue: Issue, by: Actor) {
  yield* Effect.fromResult(requireRun(by));
  if (by.kind !== "agent") return;
  const holderIsActive = yield* isHeldByOther(stores, issue, by);
  const no = agentMayChange(issue, { ...by, holderIsActive });
  if (no !== null) yield* Effect.fail(no);
});

/** As above, for documents and files: an agent may not change those of somebody else's issue in any status. */
export const requireFileWriter = Effect.fnUntraced(function* (stores: Stores, issue: Issue, by: Actor) {
  yield* Effect.fromResult(requireRun(by));
  if (by.kind === "agent" && isAssigned(issue) && issue.assigneeAgentId !== by.agentId)
    yield* Effect.fail(
      new IssueNotYours({ issueId: issue.id }, "The issue belongs to somebody else; comment on it instead."),
    );
  yield* requireIssueWriter(stores, issue, by);
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
