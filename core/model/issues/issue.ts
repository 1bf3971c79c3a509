import * as Result from "effect/Result";
import { type Actor, authorOf } from "../access/caller.ts";
import { refusal } from "../shared/failure.ts";
import type {
  AgentId,
  CompanyId,
  GoalId,
  IssueId,
  ProjectId,
  RoutineId,
  RunId,
  UserId,
} from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type Moves, mayMove, movesFrom } from "../shared/moves.ts";
import type { Change } from "../shared/patch.ts";
import { type Assignee, isAssigned, isSameAssignee, nobody } from "./assignee.ts";
import {
  type IssueStatus,
  isClosed,
  isReadyStatus,
  issueMoves,
  movesOfAgents,
  type Priority,
} from "./issue-status.ts";

/** The unit of work. (assigneeAgentId, checkoutRunId) is its only lock. */
export interface Issue extends Assignee {
  readonly id: IssueId;
  readonly companyId: CompanyId;
  /** `ABC-12`, unique over the instance. */
  readonly identifier: string;
  readonly title: string;
  readonly description: string | null;
  readonly status: IssueStatus;
  readonly priority: Priority;
  /** The run that works on it now; set only in in_progress. */
  readonly checkoutRunId: RunId | null;
  readonly heldSince: Instant | null;
  readonly parentId: IssueId | null;
  readonly projectId: ProjectId | null;
  readonly goalId: GoalId | null;
  /** The routine that created it. */
  readonly routineId: RoutineId | null;
  readonly billingCode: string | null;
  readonly createdByAgentId: AgentId | null;
  readonly createdByUserId: UserId | null;
  readonly startedAt: Instant | null;
  readonly completedAt: Instant | null;
  /** When it was completed with all its gates met; null: it was not, or it was only reported done. */
  readonly verifiedAt: Instant | null;
  readonly cancelledAt: Instant | null;
  readonly lastActivityAt: Instant;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export class IssueNotFound extends refusal("issue_not_found", "not_found", "Issue not found.") {}

export class IssueHeldByAnother extends refusal(
  "issue_held_by_another",
  "conflict",
  "The issue is assigned to someone else or checked out by another live run. Do not retry.",
) {}

export class IssueStatusUnexpected extends refusal(
  "issue_status_unexpected",
  "conflict",
  "The issue's status isn't one of expectedStatuses. Read the issue again.",
) {}

export class InvalidStatusTransition extends refusal(
  "invalid_status_transition",
  "unprocessable",
  "The issue can't move from its current status to this one.",
) {}

export class AssigneeRequired extends refusal(
  "assignee_required",
  "unprocessable",
  "An issue in progress needs an assignee. Set assigneeAgentId or assigneeUserId.",
) {}

export class UnresolvedBlockers extends refusal(
  "unresolved_blockers",
  "unprocessable",
  "The issue is blocked by open issues. See the details.",
) {}

export class IssueNotYours extends refusal(
  "issue_not_yours",
  "forbidden",
  "Someone else is working on this issue.",
) {}

export class NotTheAssignee extends refusal(
  "not_the_assignee",
  "conflict",
  "Only the assigned agent can release the issue.",
) {}

/** Details: the present values of the fields that an update may set, and updatedAt. */
export class IssueChanged extends refusal(
  "issue_changed",
  "conflict",
  "The issue has changed since expectedUpdatedAt. The details have its current state.",
) {}

/** Refuses a change by a caller that has seen another state of the issue. */
export const requireSeen = (
  issue: Issue,
  expectedUpdatedAt: Instant | undefined,
): Result.Result<Issue, IssueChanged> => {
  if (expectedUpdatedAt === undefined || expectedUpdatedAt === issue.updatedAt) return Result.succeed(issue);
  const fields = ["updatedAt", "status", "assigneeAgentId", "assigneeUserId", ...editableFields] as const;
  return Result.fail(new IssueChanged(Object.fromEntries(fields.map((field) => [field, issue[field]]))));
};

const lockDetails = (issue: Issue) => ({
  issueId: issue.id,
  status: issue.status,
  assigneeAgentId: issue.assigneeAgentId,
  assigneeUserId: issue.assigneeUserId,
  checkoutRunId: issue.checkoutRunId,
  heldSince: issue.heldSince,
});

export interface CheckOut {
  readonly agentId: AgentId;
  /** null when the board checks out for an agent. */
  readonly runId: RunId | null;
  readonly expectedStatuses: readonly IssueStatus[];
  /** Whether the run in checkoutRunId is live. */
  readonly holderIsActive: boolean;
  /** The open issues that block it. */
  readonly openBlockers: readonly IssueId[];
  readonly at: Instant;
}

export type CheckOutRefusal =
  | IssueHeldByAnother
  | IssueStatusUnexpected
  | InvalidStatusTransition
  | UnresolvedBlockers;

/** The input of a claim. */
export type ClaimRequest = Pick<CheckOut, "agentId" | "runId" | "expectedStatuses">;

/** The facts that a claim depends on in addition to the issue. */
export type ClaimFacts = Pick<CheckOut, "holderIsActive" | "openBlockers">;

/** A checkout, for the agent that has the issue or for another. */
type Checked = Omit<ClaimRequest, "agentId"> & { readonly isForAssignee: boolean };

/** A request that the issue alone does not refuse. */
export interface Claim extends ClaimRequest {
  readonly issue: Issue;
}

const isRepeated = (issue: Issue, { isForAssignee, runId }: Omit<Checked, "expectedStatuses">): boolean =>
  issue.status === "in_progress" && isForAssignee && issue.checkoutRunId === runId;

/** Returns why the issue is not checked out, or null. */
export const refusalOfClaim = (issue: Issue, claim: Checked & ClaimFacts): CheckOutRefusal | null =>
  isRepeated(issue, claim) ? null : (refusalByIssue(issue, claim) ?? refusalByFacts(issue, claim));

const refusalByIssue = (
  issue: Issue,
  { isForAssignee, expectedStatuses }: Checked,
): Exclude<CheckOutRefusal, UnresolvedBlockers> | null => {
  const isExpected = expectedStatuses.includes(issue.status);
  if (issue.status !== "in_progress" && !mayMove(issueMoves, issue.status, "in_progress"))
    return isExpected
      ? transitionRefused(issue.status, "in_progress")
      : new IssueStatusUnexpected(lockDetails(issue));
  if (isAssigned(issue) && !isForAssignee) return new IssueHeldByAnother(lockDetails(issue));
  return isExpected ? null : new IssueStatusUnexpected(lockDetails(issue));
};

const refusalByFacts = (
  issue: Issue,
  { runId, holderIsActive, openBlockers }: Pick<Checked, "runId"> & ClaimFacts,
): IssueHeldByAnother | UnresolvedBlockers | null => {
  if (issue.checkoutRunId !== null && issue.checkoutRunId !== runId && holderIsActive)
    return new IssueHeldByAnother(lockDetails(issue));
  return openBlockers.length > 0 ? new UnresolvedBlockers({ blockedByIssueIds: openBlockers }) : null;
};

/** The first half of a checkout, for which the issue is enough: most callers are refused by it. */
export const claimIssue = (
  issue: Issue,
  { agentId, runId, expectedStatuses }: ClaimRequest,
): Result.Result<Claim, CheckOutRefusal> => {
  const request = { runId, expectedStatuses, isForAssignee: issue.assigneeAgentId === agentId };
  const refused = isRepeated(issue, request) ? null : refusalByIssue(issue, request);
  if (refused !== null) return Result.fail(refused);
  return Result.succeed({ issue, agentId, runId, expectedStatuses });
};

/** The second half, for one agent and run. Repeating the same checkout changes nothing. */
export const grantClaim = (
  { issue, agentId, runId }: Claim,
  facts: ClaimFacts,
  at: Instant,
): Result.Result<Issue, CheckOutRefusal> => {
  if (isRepeated(issue, { runId, isForAssignee: issue.assigneeAgentId === agentId }))
    return Result.succeed(issue);
  const refused = refusalByFacts(issue, { runId, ...facts });
  if (refused !== null) return Result.fail(refused);
  return Result.succeed({
    ...begun(issue, at),
    assigneeAgentId: agentId,
    checkoutRunId: runId,
    heldSince: at,
  });
};

/** Both halves at once. */
export const checkOut = (
  issue: Issue,
  { at, ...checkout }: CheckOut,
): Result.Result<Issue, CheckOutRefusal> =>
  Result.andThen(claimIssue(issue, checkout), (claim) => grantClaim(claim, checkout, at));

/** Adopting an issue in progress leaves its start unchanged; from another status the start is set. */
const begun = (issue: Issue, at: Instant): Issue => ({
  ...issue,
  status: "in_progress",
  startedAt: issue.status === "in_progress" ? issue.startedAt : at,
  completedAt: null,
  verifiedAt: null,
  cancelledAt: null,
  lastActivityAt: at,
  updatedAt: at,
});

/** Moves a person's issue to in_progress. A person has no run, so there is no lock. */
export const beginByPerson = (
  issue: Issue,
  openBlockers: readonly IssueId[],
  at: Instant,
): Result.Result<Issue, InvalidStatusTransition | UnresolvedBlockers> => {
  if (!mayMove(issueMoves, issue.status, "in_progress"))
    return Result.fail(transitionRefused(issue.status, "in_progress"));
  if (openBlockers.length > 0)
    return Result.fail(new UnresolvedBlockers({ blockedByIssueIds: openBlockers }));
  return Result.succeed(begun(issue, at));
};

const transitionRefused = (
  from: IssueStatus,
  to: IssueStatus,
  moves: Moves<IssueStatus> = issueMoves,
): InvalidStatusTransition =>
  new InvalidStatusTransition(
    { from, to, allowed: movesFrom(moves, from) },
    `An issue can't move from ${from} to ${to}. Allowed: ${movesFrom(moves, from).join(", ")}${isClosed(from) ? ", by the board only" : ""}.`,
  );

const reopenRefused = (from: IssueStatus, to: IssueStatus): InvalidStatusTransition =>
  new InvalidStatusTransition({ from, to, allowed: [] }, `Only the board can move an issue out of ${from}.`);

/** Releases the lock and the assignee; an issue in progress returns to todo. */
export const releaseIssue = (issue: Issue, at: Instant): Issue => ({
  ...issue,
  ...nobody,
  status: issue.status === "in_progress" ? "todo" : issue.status,
  checkoutRunId: null,
  heldSince: null,
  lastActivityAt: at,
  updatedAt: at,
});

/** The fields that are set at creation and changed by an update, without further consequences. */
export const editableFields = [
  "title",
  "description",
  "priority",
  "projectId",
  "goalId",
  "parentId",
  "billingCode",
] as const satisfies readonly (keyof Issue)[];

export type EditableFields = Change<Issue, (typeof editableFields)[number]>;

export interface NewIssue
  extends Pick<Issue, "id" | "companyId" | "identifier" | "title" | keyof Assignee>,
    Omit<EditableFields, "title"> {
  readonly by: Actor;
  readonly routineId?: RoutineId | undefined;
}

/** Makes a new issue in todo; `beginIn` and `checkOut` give it another status. */
export const newIssue = (given: NewIssue, at: Instant): Issue => ({
  id: given.id,
  companyId: given.companyId,
  identifier: given.identifier,
  title: given.title,
  description: given.description ?? null,
  status: "todo",
  priority: given.priority ?? "medium",
  assigneeAgentId: given.assigneeAgentId,
  assigneeUserId: given.assigneeUserId,
  checkoutRunId: null,
  heldSince: null,
  parentId: given.parentId ?? null,
  projectId: given.projectId ?? null,
  goalId: given.goalId ?? null,
  routineId: given.routineId ?? null,
  billingCode: given.billingCode ?? null,
  ...authorOf(given.by),
  startedAt: null,
  completedAt: null,
  verifiedAt: null,
  cancelledAt: null,
  lastActivityAt: at,
  createdAt: at,
  updatedAt: at,
});

/** Gives a new issue its first status: any except in_progress, which only a checkout reaches. */
export const beginIn = (issue: Issue, status: Exclude<IssueStatus, "in_progress">, at: Instant): Issue => ({
  ...issue,
  status,
  completedAt: status === "done" ? at : null,
  cancelledAt: status === "cancelled" ? at : null,
});

/** Returns why the issue does not move to a status, or null. */
export const refusalOfMove = (
  { status: from }: Pick<Issue, "status">,
  to: IssueStatus,
  by: Actor,
): InvalidStatusTransition | null => {
  if (from === to) return null;
  if (isClosed(from) && by.kind === "agent") return reopenRefused(from, to);
  const moves = by.kind === "agent" ? movesOfAgents : issueMoves;
  return mayMove(moves, from, to) ? null : transitionRefused(from, to, moves);
};

/** Moves to any status except in_progress, which only a checkout reaches. */
export const moveIssue = (
  issue: Issue,
  to: Exclude<IssueStatus, "in_progress">,
  by: Actor,
  at: Instant,
): Result.Result<Issue, InvalidStatusTransition> => {
  if (issue.status === to) return Result.succeed(issue);
  const refused = refusalOfMove(issue, to, by);
  if (refused !== null) return Result.fail(refused);
  if (issue.status === "in_progress" && to === "todo") return Result.succeed(releaseIssue(issue, at));
  return Result.succeed({
    ...issue,
    status: to,
    checkoutRunId: null,
    heldSince: null,
    completedAt: to === "done" ? at : null,
    verifiedAt: null,
    cancelledAt: to === "cancelled" ? at : null,
    lastActivityAt: at,
    updatedAt: at,
  });
};

/** Assigns the issue to another agent or person, or unassigns it: an unassigned issue in progress returns to todo. */
export const assignIssue = (issue: Issue, assignee: Assignee, at: Instant): Issue => {
  if (isSameAssignee(issue, assignee)) return issue;
  if (!isAssigned(assignee)) return releaseIssue(issue, at);
  return {
    ...issue,
    assigneeAgentId: assignee.assigneeAgentId,
    assigneeUserId: assignee.assigneeUserId,
    checkoutRunId: null,
    heldSince: null,
    lastActivityAt: at,
    updatedAt: at,
  };
};

/**
 * Whether an agent may change the issue: it is unassigned, its own, or not in progress. On its own
 * issue in progress, no other live run of the agent may hold it.
 */
export const agentMayChange = (
  issue: Issue,
  agent: { readonly agentId: AgentId; readonly runId: RunId | null; readonly holderIsActive: boolean },
): IssueNotYours | IssueHeldByAnother | null => {
  if (!isAssigned(issue) || issue.status !== "in_progress") return null;
  if (issue.assigneeAgentId !== agent.agentId) return new IssueNotYours({ issueId: issue.id });
  return issue.checkoutRunId !== null && issue.checkoutRunId !== agent.runId && agent.holderIsActive
    ? new IssueHeldByAnother(lockDetails(issue))
    : null;
};

/** Whether the issue's assignee can continue it. Wakes use this; `stores.issues.actionable` finds the same issues. */
export const isReady = (
  { assigneeAgentId, status }: Pick<Issue, "assigneeAgentId" | "status">,
  openBlockers: readonly IssueId[],
): boolean => assigneeAgentId !== null && isReadyStatus(status) && openBlockers.length === 0;
