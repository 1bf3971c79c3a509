import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import type { Actor } from "../../model/access/caller.ts";
import { differencesOf } from "../../model/activity/differences.ts";
import { editableFields, type Issue } from "../../model/issues/issue.ts";
import type { IssueId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";
import type { LabelChange } from "./put-labels.ts";

export const changedFields = (before: Issue, after: Issue): readonly string[] =>
  ([...editableFields, "status", "assigneeAgentId", "assigneeUserId"] as const).filter(
    (field) => before[field] !== after[field],
  );

/** Those that have entries of their own in the activity log. */
const loggedApart: readonly string[] = ["status", "assigneeAgentId", "assigneeUserId"];

interface Changes {
  readonly fields: readonly string[];
  /** null: none. */
  readonly labels: LabelChange | null;
  readonly blockersChanged: boolean;
}

/** Notes each kind of change in the activity log. */
export const recordChanges = Effect.fnUntraced(function* (
  stores: Stores,
  before: Issue,
  after: Issue,
  changes: Changes,
  { by, blockedByIssueIds }: { by: Actor; blockedByIssueIds?: readonly IssueId[] | undefined },
  at: Instant,
) {
  const { identifier } = after;
  if (before.status !== after.status)
    yield* logAction(stores, after, by, at, "issue.status_changed", {
      identifier,
      from: before.status,
      to: after.status,
    });
  const { assigneeAgentId: agentId, assigneeUserId: userId } = after;
  if (agentId !== before.assigneeAgentId || userId !== before.assigneeUserId)
    yield* logAction(stores, after, by, at, "issue.assigned", { identifier, agentId, userId });
  const fields = changes.fields.filter((field) => !loggedApart.includes(field));
  if (fields.length > 0)
    yield* logAction(stores, after, by, at, "issue.updated", {
      identifier,
      changed: fields,
      differences: differencesOf(before, after, fields),
    });
  if (changes.labels !== null)
    yield* logAction(stores, after, by, at, "issue.labels_updated", {
      identifier,
      ...changes.labels,
    });
  if (blockedByIssueIds !== undefined && changes.blockersChanged)
    yield* logAction(stores, after, by, at, "issue.blockers_updated", {
      identifier,
      blockedByIssueIds,
    });
});
