import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import { differencesOf } from "../../model/activity/differences.ts";
import { editableFields, type Issue } from "../../model/issues/issue.ts";
import type { IssueId } from "../../model/shared/ids.ts";
import type { LabelChange } from "./put-labels.ts";

export const changedFields = (before: Issue, after: Issue): readonly string[] =>
  ([...editableFields, "status", "assigneeAgentId", "assigneeUserId"] as const).filter(
    (field) => before[field] !== after[field],
  );

/** The changes that have entries of their own in the activity log. */
const loggedSeparately: readonly string[] = ["status", "assigneeAgentId", "assigneeUserId"];

interface Changes {
  readonly fields: readonly string[];
  /** null: none. */
  readonly labels: LabelChange | null;
  readonly blockersChanged: boolean;
}

/** Records each kind of change in the activity log. */
export const recordChanges = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  before: Issue,
  after: Issue,
  changes: Changes,
  { blockedByIssueIds }: { blockedByIssueIds?: readonly IssueId[] | undefined },
) {
  const { identifier } = after;
  if (before.status !== after.status)
    yield* unit.log("issue.status_changed", after, { identifier, from: before.status, to: after.status });
  const { assigneeAgentId: agentId, assigneeUserId: userId } = after;
  if (agentId !== before.assigneeAgentId || userId !== before.assigneeUserId)
    yield* unit.log("issue.assigned", after, { identifier, agentId, userId });
  const fields = changes.fields.filter((field) => !loggedSeparately.includes(field));
  if (fields.length > 0)
    yield* unit.log("issue.updated", after, {
      identifier,
      changed: fields,
      differences: differencesOf(before, after, fields),
    });
  if (changes.labels !== null)
    yield* unit.log("issue.labels_updated", after, { identifier, ...changes.labels });
  if (blockedByIssueIds !== undefined && changes.blockersChanged)
    yield* unit.log("issue.blockers_updated", after, { identifier, blockedByIssueIds });
});
