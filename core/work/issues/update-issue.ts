import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { requireRoom } from "../../access/require-room.ts";
import { transact, type UnitOfWork, type UseCaseContext, useCase } from "../../access/unit-of-work.ts";
import { type Actor, actingRun, requireRun } from "../../model/access/caller.ts";
import { assignablePerson, mayWorkIn, UserNotAssignable } from "../../model/access/person.ts";
import { assignable } from "../../model/agents/named-agent.ts";
import { budgetHolds } from "../../model/costs/budget.ts";
import { type Assignee, isAssigned, namedAssignee } from "../../model/issues/assignee.ts";
import type { Comment } from "../../model/issues/comments/comment.ts";
import { GatesUnmet } from "../../model/issues/gates/judge-gates.ts";
import {
  AssigneeRequired,
  assignIssue,
  beginByPerson,
  checkOut,
  type EditableFields,
  editableFields,
  type Issue,
  moveIssue,
  requireSeen,
} from "../../model/issues/issue.ts";
import { type IssueStatus, isClosed } from "../../model/issues/issue-status.ts";
import { mayBeginForPerson, mayClaimFor } from "../../model/issues/may-begin-for.ts";
import type { Project } from "../../model/projects/project.ts";
import { closesCircle } from "../../model/shared/circle.ts";
import { ReferenceNotFound, WouldFormACycle } from "../../model/shared/failure.ts";
import type { AgentId, CommentId, IssueId, UserId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";
import { patched } from "../../model/shared/patch.ts";
import { IssueWakes } from "../../queue/issue-wakes.ts";
import { requireNoHold } from "../../queue/require-no-hold.ts";
import { revokeIssue } from "../../queue/revoke-issue.ts";
import { stopRuns } from "../../queue/stop-runs.ts";
import { wakeAfterHold } from "../../queue/wake-after-hold.ts";
import { requireOpenProject } from "../projects/require-open-project.ts";
import { type Blockers, changeBlockers } from "./change-blockers.ts";
import { mentionableFor, recordComment } from "./comments/add-comment.ts";
import { passGates } from "./gates/pass-gates.ts";
import { expireInteractions, interactionsEndedByComment } from "./interactions/expire-interactions.ts";
import { type LabelsWanted, putLabels } from "./put-labels.ts";
import { changedFields, recordChanges } from "./record-changes.ts";
import { recordAssigneeWake, recordWakesOfClosing } from "./record-wakes-of-change.ts";
import { requireIssueWriter } from "./require-issue-writer.ts";

export interface UpdateIssue extends EditableFields, LabelsWanted {
  readonly issueId: IssueId;
  readonly by: Actor;
  readonly status?: IssueStatus | undefined;
  /** An agent's id or urlKey. */
  readonly assigneeAgentId?: string | null | undefined;
  readonly assigneeUserId?: UserId | null | undefined;
  readonly blockedByIssueIds?: readonly IssueId[] | undefined;
  /** The updatedAt that the caller has seen. */
  readonly expectedUpdatedAt?: Instant | undefined;
  /** Completed by the board although its gates are not met. */
  readonly overrideGates?: boolean | undefined;
  /** How long the caller can undo the change: agents that it wakes start afterwards. */
  readonly undoableSec?: number | undefined;
  readonly comment?: { readonly id: CommentId; readonly body: string } | undefined;
}

/** The changes to an issue. The unit of work names the actor. */
type IssueChange = Omit<UpdateIssue, "by">;

/** Changes an issue, and adds a comment where one is given. Wakes the agents concerned. */
export const updateIssue = (context: UseCaseContext) => {
  const update = changeOnly(context);
  return Effect.fnUntraced(function* (command: UpdateIssue) {
    const result = yield* Effect.result(update(command));
    if (Result.isSuccess(result)) return result.success;
    const refusal = result.failure;
    const isRecorded = refusal instanceof GatesUnmet && (yield* recordDoneRequest(context, command, refusal));
    return yield* Effect.fail(isRecorded ? refusal.askedAgain() : refusal);
  });
};

const changeOnly = useCase("issues.update", function* (unit, command: UpdateIssue) {
  return yield* changeIssue(unit, command);
});

/**
 * A run whose issue stays open because of its gates may meet them by its end: its request is recorded for the service to
 * repeat. Returns whether it was. The run itself must repeat a request that changes more than the status.
 */
const recordDoneRequest = Effect.fnUntraced(function* (
  context: UseCaseContext,
  { issueId, by, status: _, comment, ...more }: UpdateIssue,
  refusal: GatesUnmet,
) {
  const isOnlyThat = Object.values(more).every((value) => value === undefined);
  if (by.kind !== "agent" || by.runId === null || !isOnlyThat || !refusal.mayPassAtEnd) return false;
  const { agentId, runId } = by;
  return yield* transact(context, "issues.requestDone", by, function* (unit) {
    const { companyId, status, checkoutRunId } = yield* unit.issues.lock(issueId);
    if (status !== "in_progress" || checkoutRunId !== runId) return false;
    yield* unit.gates.putDoneRequest({
      issueId,
      companyId,
      agentId,
      runId,
      comment: comment?.body ?? null,
      createdAt: unit.at,
    });
    return true;
  });
});

/** Does so within the caller's transaction. It refuses before it writes. */
export const changeIssue = Effect.fnUntraced(function* (unit: UnitOfWork, command: IssueChange) {
  const { by, at } = unit;
  yield* Effect.fromResult(requireRun(by));
  const holds =
    command.projectId === undefined
      ? []
      : yield* unit.projects.lockShared(command.issueId, command.projectId);
  // A person is locked before an issue.
  const person = command.assigneeUserId ? yield* unit.access.holdPerson(command.assigneeUserId) : null;
  const before = yield* unit.issues.lock(command.issueId);
  yield* requireIssueWriter(unit, before);
  yield* Effect.fromResult(requireSeen(before, command.expectedUpdatedAt));
  if (command.assigneeUserId)
    yield* Effect.fromResult(assignablePerson(person, before.companyId, "assigneeUserId"));
  if (by.kind === "agent" && command.assigneeUserId && command.assigneeUserId !== before.assigneeUserId)
    yield* requireRoom(unit, "issuesOfPerson", before.companyId, command.assigneeUserId);
  const facts = yield* readFacts(unit, before, command);
  const labels = yield* putLabels(unit, before, command);

  const { after: edited } = patched(before, command, editableFields, at);
  const assigned = facts.assignee === undefined ? edited : assignIssue(edited, facts.assignee, at);
  const worked = yield* move(unit, assigned, before, command, facts);
  const moved = yield* passGates(unit, before, worked, command);
  const changed = changedFields(before, moved);
  const isChanged = changed.length > 0 || labels !== null || facts.blockersChanged;
  const after: Issue = isChanged ? { ...moved, updatedAt: at } : moved;
  if (isChanged || command.comment !== undefined) yield* unit.issues.save({ ...after, lastActivityAt: at });
  const { assigneeUserId: userId, companyId, id: issueId } = after;
  if (userId !== null && userId !== before.assigneeUserId)
    yield* unit.watchers.add({ companyId, issueId, userId, at });
  yield* recordChanges(unit, before, after, { fields: changed, labels, ...facts }, command);

  yield* endLostWork(unit, before, after);
  yield* changeProject(unit, before, after, holds);

  const wakes = new IssueWakes(before.companyId);
  recordAssigneeWake(wakes, before, after, by, facts);
  let comment: Comment | null = null;
  if (command.comment !== undefined)
    comment = yield* recordComment(unit, wakes, {
      issue: after,
      ...command.comment,
      mentionable: facts.mentionable,
      interactions: facts.interactions,
      reopened: false,
    });
  if (isClosed(after.status) && !isClosed(before.status)) {
    yield* recordWakesOfClosing(unit, wakes, after);
    yield* expireInteractions(unit, wakes, { issueId: after.id }, { reason: "issue_closed" });
  }
  yield* wakes.send(unit, command.undoableSec);
  return { issue: after, comment };
});

/** Reads the facts for the decision; refuses a reference that does not exist or closes a cycle. */
const readFacts = Effect.fnUntraced(function* (unit: UnitOfWork, issue: Issue, command: IssueChange) {
  const { companyId } = issue;
  const { assigneeAgentId, parentId, status, comment } = command;
  // The future assignee: a change into in_progress also checks whether the present assignee can work.
  const begins = status === "in_progress" && assigneeAgentId === undefined;
  const worker = assigneeAgentId ?? (begins ? issue.assigneeAgentId : null);
  const personAtWork =
    begins && command.assigneeUserId === undefined && issue.assigneeUserId !== null
      ? issue.assigneeUserId
      : null;
  const found = yield* Effect.all(
    {
      worker: worker ? unit.agents.findByReference(worker, companyId) : Effect.succeed(null),
      person: personAtWork === null ? Effect.succeed(null) : unit.access.findPerson(personAtWork),
      missing: unit.issues.missingReferences(companyId, command),
      parents: parentId ? unit.issues.parentChain(parentId) : Effect.succeed(noLinks),
      openBlockers: unit.issues.openBlockers(issue.id),
      mentionable: mentionableFor(unit, issue, comment?.body),
      interactions: comment === undefined ? Effect.succeed([]) : interactionsEndedByComment(unit, issue.id),
    },
    { concurrency: "unbounded" },
  );
  const named = assigneeAgentId ? "assigneeAgentId" : "status";
  const able = worker ? yield* Effect.fromResult(assignable(found.worker, named)) : null;
  if (found.person !== null && !mayWorkIn(found.person, companyId))
    yield* Effect.fail(new UserNotAssignable({ path: ["status"] }));
  const assignee = yield* Effect.fromResult(
    namedAssignee(issue, {
      assigneeAgentId: assigneeAgentId ? able?.id : (assigneeAgentId as null | undefined),
      assigneeUserId: command.assigneeUserId,
    }),
  );
  if (found.missing[0] !== undefined) yield* Effect.fail(ReferenceNotFound.at(found.missing[0]));
  if (command.projectId !== issue.projectId) yield* requireOpenProject(unit, command.projectId);
  if (parentId && closesCircle(issue.id, parentId, found.parents))
    yield* Effect.fail(new WouldFormACycle({ path: ["parentId"] }));
  const { mentionable, interactions } = found;
  const blockers = yield* changeBlockers(unit, issue, command, found.openBlockers);
  return { assignee, mentionable, interactions, ...blockers };
});

const noLinks: ReadonlyMap<IssueId, readonly IssueId[]> = new Map();

interface Facts extends Pick<Blockers, "openBlockers"> {
  /** The one that the request names. */
  readonly assignee: Assignee | undefined;
}

/** Makes the request's status move. A move into in_progress is a checkout with all its conditions. */
const move = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  issue: Issue,
  before: Issue,
  command: IssueChange,
  facts: Facts,
) {
  const { by, at } = unit;
  const { status: to } = command;
  if (to === undefined || to === issue.status) return issue;
  if (to !== "in_progress") {
    const moved = yield* Effect.fromResult(moveIssue(issue, to, by, at));
    // A move to todo is a release, unless the same request assigns the issue.
    const isHandedOver =
      before.status === "in_progress" && facts.assignee !== undefined && isAssigned(facts.assignee);
    return isHandedOver ? assignIssue(moved, facts.assignee, at) : moved;
  }
  if (issue.assigneeUserId !== null) {
    yield* Effect.fromResult(mayBeginForPerson(by));
    return yield* Effect.fromResult(beginByPerson(issue, facts.openBlockers, at));
  }
  const agentId: AgentId | null =
    issue.assigneeAgentId ??
    (by.kind === "agent" && command.assigneeAgentId === undefined ? by.agentId : null);
  if (agentId === null) return yield* Effect.fail(new AssigneeRequired());
  yield* Effect.fromResult(mayClaimFor(by, agentId, "status"));
  if (by.kind === "agent") {
    const agent = yield* unit.agents.findInCompany(by.agentId, issue.companyId);
    if (agent !== null) yield* requireNoHold(unit, agent, issue);
  }
  return yield* Effect.fromResult(
    checkOut(issue, {
      agentId,
      runId: actingRun(by),
      expectedStatuses: [issue.status],
      holderIsActive: false,
      openBlockers: facts.openBlockers,
      at,
    }),
  );
});

/** Ends the runs that lose their issue by the change, except the run that makes it. */
const endLostWork = Effect.fnUntraced(function* (unit: UnitOfWork, before: Issue, after: Issue) {
  const { assigneeAgentId: agentId } = before;
  const issueId = after.id;
  const except = actingRun(unit.by);
  if (after.status === "cancelled" && before.status !== "cancelled")
    yield* stopRuns(unit, { issueId, except }, "issue_cancelled");
  else if (agentId !== null && agentId !== after.assigneeAgentId)
    yield* revokeIssue(unit, { agentId, issueId, except });
});

/** Moving an issue into a project under a budget hold ends its work; moving it out lets its work continue. */
const changeProject = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  before: Issue,
  after: Issue,
  holds: readonly Pick<Project, "id" | "heldByBudgetAt">[],
) {
  const isHeld = ({ projectId }: Issue) =>
    budgetHolds(holds.find(({ id }) => id === projectId)?.heldByBudgetAt ?? null, unit.at);
  const { id: issueId, companyId } = after;
  if (isHeld(after) && !isHeld(before)) {
    yield* stopRuns(unit, { issueId }, "project_budget_exhausted");
    yield* unit.wakes.cancelPending({ issueId }, "project_budget_exhausted", unit.at);
  } else if (isHeld(before) && !isHeld(after)) yield* wakeAfterHold(unit, { issueId }, companyId);
});
