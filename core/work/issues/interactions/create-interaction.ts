import * as Effect from "effect/Effect";
import type { Stores } from "../../../../ports/transactor.ts";
import { requireRoom } from "../../../access/require-room.ts";
import { useCase } from "../../../access/unit-of-work.ts";
import { type Actor, actingRun, authorOf } from "../../../model/access/caller.ts";
import { assignablePerson } from "../../../model/access/person.ts";
import { notTerminated } from "../../../model/agents/named-agent.ts";
import { namedAssignee, nobody, TwoAssignees } from "../../../model/issues/assignee.ts";
import {
  type Interaction,
  InteractionPayloadInvalid,
  payloadProblem,
  sameRequest,
} from "../../../model/issues/interactions/interaction.ts";
import type { ContinuationPolicy } from "../../../model/issues/interactions/interaction-status.ts";
import {
  type AskedContent,
  endsByComment,
  type SuggestTasks,
} from "../../../model/issues/interactions/payload.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import { refusalOfInteraction } from "../../../model/issues/issue-actions.ts";
import { IdempotencyKeyReused, ReferenceNotFound } from "../../../model/shared/failure.ts";
import type { DocumentId, InteractionId, IssueId } from "../../../model/shared/ids.ts";

export type CreateInteraction = AskedContent & {
  readonly id: InteractionId;
  readonly issueId: IssueId;
  readonly by: Actor;
  readonly idempotencyKey?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly summary?: string | null | undefined;
  /** Default: none for a confirmation, wake_assignee for the others. */
  readonly continuationPolicy?: ContinuationPolicy | undefined;
};

/** Adds an interaction to the thread. Repeating the key with the same interaction returns the existing interaction. */
export const createInteraction = useCase(
  "issues.interactions.create",
  function* (unit, command: CreateInteraction) {
    const issue = yield* unit.issues.lock(command.issueId);
    const key = command.idempotencyKey ?? null;
    const interaction: Interaction = {
      ...contentOf(command),
      id: command.id,
      companyId: issue.companyId,
      issueId: issue.id,
      status: "pending",
      continuationPolicy:
        command.continuationPolicy ?? (command.kind === "request_confirmation" ? "none" : "wake_assignee"),
      idempotencyKey: key,
      title: command.title ?? null,
      summary: command.summary ?? null,
      result: null,
      endsByComment: endsByComment(command),
      targetDocumentId: null,
      sourceRunId: actingRun(unit.by),
      ...authorOf(unit.by),
      resolvedByAgentId: null,
      resolvedByUserId: null,
      resolvedAt: null,
      createdAt: unit.at,
      updatedAt: unit.at,
    };
    const earlier = key === null ? null : yield* unit.interactions.findByKey(issue.id, key);
    if (earlier !== null)
      return sameRequest(earlier, interaction)
        ? earlier
        : yield* Effect.fail(
            new IdempotencyKeyReused(
              undefined,
              "This idempotencyKey was used for another interaction in this thread.",
            ),
          );
    const refusal = refusalOfInteraction(issue);
    if (refusal !== null) yield* Effect.fail(refusal);
    if (unit.by.kind === "agent")
      yield* requireRoom(unit, "openInteractions", issue.companyId, unit.by.agentId);
    const problem = payloadProblem(command);
    if (problem !== null) yield* Effect.fail(problem);
    if (command.kind === "suggest_tasks") yield* refuseUnknownReferences(unit, issue, command.payload);

    const stored = { ...interaction, targetDocumentId: yield* targetOf(unit, issue, command) };
    yield* unit.interactions.insert(stored);
    yield* unit.issues.save({ ...issue, lastActivityAt: unit.at });
    yield* unit.log("issue.interaction_created", issue, {
      identifier: issue.identifier,
      interactionId: interaction.id,
      kind: interaction.kind,
    });
    return stored;
  },
);

const contentOf = ({ kind, payload }: CreateInteraction): AskedContent => ({ kind, payload }) as AskedContent;

/** Locks the document that a confirmation refers to at its latest revision until the interaction is stored. */
const targetOf = Effect.fnUntraced(function* (stores: Stores, issue: Issue, command: CreateInteraction) {
  if (command.kind !== "request_confirmation") return null;
  const { target } = command.payload;
  if (target == null || target.type !== "issue_document") return null;
  const document = yield* stores.documents.holdLatest(
    target.issueId ?? issue.id,
    target.key,
    issue.companyId,
  );
  if (document === null) return yield* Effect.fail(ReferenceNotFound.at("payload.target"));
  const { id, latestRevisionId, latestRevisionNumber } = document;
  const isLatest =
    latestRevisionId === target.revisionId &&
    (target.documentId === undefined || target.documentId === id) &&
    (target.revisionNumber === undefined || target.revisionNumber === latestRevisionNumber);
  if (!isLatest)
    yield* Effect.fail(
      new InteractionPayloadInvalid(
        { path: ["payload", "target"], currentRevisionId: latestRevisionId },
        "The target isn't the document's latest revision.",
      ),
    );
  return id as DocumentId | null;
});

const refuseUnknownReferences = Effect.fnUntraced(function* (
  stores: Stores,
  { companyId }: Issue,
  { tasks, defaultParentId }: SuggestTasks,
) {
  const missing = (field: string) => Effect.fail(ReferenceNotFound.at(`payload.${field}`));
  if (defaultParentId && (yield* stores.issues.existing([defaultParentId], companyId)).length === 0)
    yield* missing("defaultParentId");
  const named = new Set(tasks.flatMap(({ labels = [] }) => labels));
  const known = new Set((yield* stores.labels.existing([...named], companyId)).map(({ id }) => id));
  for (const [index, task] of tasks.entries()) {
    if (task.labels?.some((label) => !known.has(label))) yield* missing(`tasks.${index}.labels`);
    const [assignee, person, absent] = yield* Effect.all(
      [
        task.assigneeAgentId
          ? stores.agents.findInCompany(task.assigneeAgentId, companyId)
          : Effect.succeed(null),
        task.assigneeUserId ? stores.access.findPerson(task.assigneeUserId) : Effect.succeed(null),
        stores.issues.missingReferences(companyId, task),
      ],
      { concurrency: "unbounded" },
    );
    if (task.assigneeAgentId)
      yield* Effect.fromResult(notTerminated(assignee, `payload.tasks.${index}.assigneeAgentId`));
    const field = `payload.tasks.${index}.assigneeUserId`;
    if (task.assigneeUserId) yield* Effect.fromResult(assignablePerson(person, companyId, field));
    yield* Effect.fromResult(namedAssignee(nobody, task)).pipe(
      Effect.mapError(() => new TwoAssignees({ path: [field] })),
    );
    if (absent[0] !== undefined) yield* missing(`tasks.${index}.${absent[0]}`);
  }
});
