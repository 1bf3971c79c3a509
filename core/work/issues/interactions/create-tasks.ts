import * as Effect from "effect/Effect";
import type { Stores } from "../../../../ports/transactor.ts";
import type { UnitOfWork } from "../../../access/unit-of-work.ts";
import { UserNotAssignable } from "../../../model/access/person.ts";
import { AgentNotAssignable } from "../../../model/agents/named-agent.ts";
import { chooseTasks, type InteractionResult } from "../../../model/issues/interactions/interaction.ts";
import type { SuggestedTask, SuggestTasks } from "../../../model/issues/interactions/payload.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import { ReferenceNotFound, type Refusal } from "../../../model/shared/failure.ts";
import type { IssueId } from "../../../model/shared/ids.ts";
import { makeIssue, requireNamed } from "../create-issue.ts";

interface AcceptedTasks {
  /** The issue of the interaction. */
  readonly issue: Issue;
  readonly payload: SuggestTasks;
  readonly selectedClientKeys: readonly string[] | undefined;
}

/** Creates the issues of the chosen tasks, parents first. Returns the interaction's result. */
export const createTasks = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { issue, payload, selectedClientKeys }: AcceptedTasks,
) {
  const chosen = yield* Effect.fromResult(chooseTasks(payload, selectedClientKeys));
  // A label that was deleted since is omitted; the tasks are still created.
  const wanted = new Set(chosen.flatMap(({ labels = [] }) => labels));
  const labels = new Set((yield* unit.labels.existing([...wanted], issue.companyId)).map(({ id }) => id));
  const made = new Map<string, Issue>();
  const createdTasks: object[] = [];
  for (const { clientKey, parentClientKey, labels: given, hiddenInPreview: _, ...task } of chosen) {
    const parent = parentClientKey == null ? null : made.get(parentClientKey)!;
    const created = yield* makeIssue(unit, {
      ...task,
      ...referencesOf(task, issue, payload, parent?.id),
      id: unit.newId<"issue">(),
      labelIds: given?.filter((label) => labels.has(label)),
    }).pipe(Effect.mapError(inTask(payload.tasks.findIndex((each) => each.clientKey === clientKey))));
    made.set(clientKey, created);
    createdTasks.push({
      clientKey,
      issueId: created.id,
      identifier: created.identifier,
      title: created.title,
      parentIssueId: created.parentId,
      parentIdentifier:
        parent?.identifier ?? (yield* unit.issues.find(created.parentId ?? issue.id)).identifier,
    });
  }
  const skippedClientKeys = payload.tasks
    .map(({ clientKey }) => clientKey)
    .filter((clientKey) => !made.has(clientKey));
  const result: InteractionResult = { version: 1, createdTasks, skippedClientKeys };
  return result;
});

const referencesOf = (
  task: Pick<SuggestedTask, "parentId" | "projectId" | "goalId">,
  { id, companyId, projectId, goalId }: Issue,
  { defaultParentId }: SuggestTasks,
  madeParentId?: IssueId,
) => ({
  companyId,
  parentId: madeParentId ?? task.parentId ?? defaultParentId ?? id,
  projectId: task.projectId === undefined ? projectId : task.projectId,
  goalId: task.goalId === undefined ? goalId : task.goalId,
});

/**
 * Returns why none of the suggested tasks can be created, or null: what they name may have gone since. A subtask needs its
 * parent.
 */
export const refusalOfTasks = Effect.fnUntraced(function* (
  stores: Stores,
  { issue, payload }: Pick<AcceptedTasks, "issue" | "payload">,
) {
  let first: Refusal | null = null;
  for (const [index, task] of payload.tasks.entries()) {
    if (task.parentClientKey != null) continue;
    const { assigneeAgentId, assigneeUserId } = task;
    const named = { assigneeAgentId, assigneeUserId, ...referencesOf(task, issue, payload) };
    const refusal: Refusal | null = yield* requireNamed(stores, named).pipe(
      Effect.mapError(inTask(index)),
      Effect.match({ onSuccess: () => null, onFailure: (refusal) => refusal }),
    );
    if (refusal === null) return null;
    first ??= refusal;
  }
  return first;
});

/** Names the path in the interaction of a reference that no longer exists. */
const inTask =
  (index: number) =>
  <E>(failure: E): E | ReferenceNotFound | AgentNotAssignable | UserNotAssignable => {
    const namesField =
      failure instanceof ReferenceNotFound ||
      failure instanceof AgentNotAssignable ||
      failure instanceof UserNotAssignable;
    if (!namesField) return failure;
    const { path, ...more } = failure.details as { readonly path: readonly string[] };
    const field = `payload.tasks.${index}.${path.join(".")}`;
    if (failure instanceof ReferenceNotFound) return ReferenceNotFound.at(field);
    const refusal = failure instanceof AgentNotAssignable ? AgentNotAssignable : UserNotAssignable;
    return new refusal({ path: [field], ...more }, failure.message);
  };
