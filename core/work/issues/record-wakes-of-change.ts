import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import type { Actor } from "../../model/access/caller.ts";
import { type Issue, isReady } from "../../model/issues/issue.ts";
import { isClosed } from "../../model/issues/issue-status.ts";
import type { IssueWakes } from "../../queue/issue-wakes.ts";
import type { Blockers } from "./change-blockers.ts";

/** Wakes the assignee for work that is assigned or returned to it, but not for changes of its own run. */
export const recordAssigneeWake = (
  wakes: IssueWakes,
  before: Issue,
  after: Issue,
  by: Actor,
  { openBlockers, isFreed }: Pick<Blockers, "openBlockers" | "isFreed">,
): void => {
  const { assigneeAgentId: assignee, status } = after;
  if (assignee === null || isClosed(status) || openBlockers.length > 0) return;
  const ownDoing =
    by.kind === "agent" &&
    by.agentId === assignee &&
    by.runId !== null &&
    (before.checkoutRunId === by.runId || after.checkoutRunId === by.runId);
  if (ownDoing) return;
  const ready = isReady(after, openBlockers);
  if (ready && before.assigneeAgentId !== assignee) wakes.add(assignee, after.id, "issue_assigned");
  else if (ready && before.status !== status)
    wakes.add(assignee, after.id, status === "in_progress" ? "issue_checked_out" : "issue_status_changed");
  else if (isFreed) wakes.add(assignee, after.id, "issue_blockers_resolved");
};

/** Closing an issue unblocks the issues that it blocks and may complete its parent. */
export const recordWakesOfClosing = Effect.fnUntraced(function* (
  stores: Stores,
  wakes: IssueWakes,
  issue: Issue,
) {
  const [freed, parent] = yield* Effect.all(
    [stores.issues.freedBy(issue.id), stores.issues.parentCompletedBy(issue.id)],
    { concurrency: "unbounded" },
  );
  for (const { id, assigneeAgentId } of freed)
    if (assigneeAgentId !== null) wakes.add(assigneeAgentId, id, "issue_blockers_resolved");
  if (parent?.assigneeAgentId) wakes.add(parent.assigneeAgentId, parent.id, "issue_children_completed");
});
