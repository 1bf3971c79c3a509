import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { Stores } from "../../../ports/transactor.ts";
import { requireRoom } from "../../access/require-room.ts";
import { batchedUseCase, type UnitOfWork } from "../../access/unit-of-work.ts";
import {
  type Actor,
  actingRun,
  actingUser,
  type RunIdRequired,
  requireRun,
} from "../../model/access/caller.ts";
import { assignablePerson } from "../../model/access/person.ts";
import { assignable } from "../../model/agents/named-agent.ts";
import { isAssigned, namedAssignee, nobody } from "../../model/issues/assignee.ts";
import { refusalOfGates } from "../../model/issues/gates/judge-gates.ts";
import {
  AssigneeRequired,
  beginByPerson,
  beginIn,
  type CheckOutRefusal,
  checkOut,
  type EditableFields,
  type Issue,
  isReady,
  newIssue,
} from "../../model/issues/issue.ts";
import { type IssueStatus, isClosed } from "../../model/issues/issue-status.ts";
import { mayBeginForPerson, mayClaimFor } from "../../model/issues/may-begin-for.ts";
import { type NotAllowed, ReferenceNotFound } from "../../model/shared/failure.ts";
import type { AgentId, CompanyId, IssueId, LabelId, RoutineId, UserId } from "../../model/shared/ids.ts";
import { requireNoHold } from "../../queue/require-no-hold.ts";
import { wake } from "../../queue/wake-agent.ts";
import { requireOpenProject } from "../projects/require-open-project.ts";
import { requireRoomToBlock } from "./change-blockers.ts";
import { readGates } from "./gates/read-gates.ts";

export interface CreateIssue extends EditableFields {
  readonly id: IssueId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly title: string;
  /** Default: todo where an assignee is given, else backlog. */
  readonly status?: IssueStatus | undefined;
  readonly assigneeAgentId?: AgentId | null | undefined;
  readonly assigneeUserId?: UserId | null | undefined;
  readonly blockedByIssueIds?: readonly IssueId[] | undefined;
  readonly labelIds?: readonly LabelId[] | undefined;
}

/** The unit that makes it has its author. */
type IssueToMake = Omit<CreateIssue, "by">;

/** Creates an issue. */
export const createIssue = batchedUseCase(
  "issues.create",
  { keyOf: (command: CreateIssue) => (waitsForLocks(command) ? command.id : command.companyId) },
  function* (unit, command: CreateIssue) {
    const { companyId } = command;
    if (command.status === "in_progress" && unit.by.kind === "agent") {
      const agent = yield* unit.agents.findInCompany(unit.by.agentId, companyId);
      if (agent !== null) yield* requireNoHold(unit, agent, command);
    }
    if (command.status === "done") {
      const gates = yield* readGates(unit, { id: command.id, projectId: command.projectId ?? null }, null);
      const refusal = refusalOfGates(gates);
      if (refusal !== null) return yield* Effect.fail(refusal);
    }
    if (unit.by.kind === "agent" && command.assigneeUserId)
      yield* requireRoom(unit, "issuesOfPerson", companyId, command.assigneeUserId);
    yield* requireRoomToBlock(unit, companyId, [...new Set(command.blockedByIssueIds ?? [])]);
    return yield* makeIssue(unit, command);
  },
);

/** Whether it waits for a lock that others may hold, while issues created with it would wait as well. */
const waitsForLocks = ({ assigneeUserId, blockedByIssueIds = [] }: CreateIssue): boolean =>
  Boolean(assigneeUserId) || blockedByIssueIds.length > 0;

/**
 * Creates the issue, its first watchers and its assignee's wake, in the transaction of their cause. Refuses before it
 * writes, so that a refused issue leaves no trace in a transaction that creates others.
 */
export const makeIssue = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  command: IssueToMake & { readonly routineId?: RoutineId; readonly isTriggered?: boolean },
) {
  const { by, at } = unit;
  const { companyId } = command;
  const blockedBy = [...new Set(command.blockedByIssueIds ?? [])];
  const labelIds = [...new Set(command.labelIds ?? [])];
  const { identifier, assignee, openBlockers } = yield* readFacts(unit, command, blockedBy, labelIds);
  const named = (yield* Effect.fromResult(namedAssignee(nobody, command))) ?? nobody;
  const fresh = newIssue({ ...command, ...named, identifier, by }, at);
  const issue = yield* Effect.fromResult(begin(fresh, command, openBlockers, unit));

  yield* unit.issues.insert(issue);
  if (labelIds.length > 0) yield* unit.labels.replaceOn(issue.id, companyId, labelIds);
  if (blockedBy.length > 0) yield* unit.issues.replaceBlockers(companyId, issue.id, blockedBy);
  yield* unit.log("issue.created", issue, { identifier, title: issue.title });
  for (const userId of new Set([actingUser(by), issue.assigneeUserId]))
    if (userId !== null) yield* unit.watchers.add({ companyId, issueId: issue.id, userId, at });
  const checkedOutByItself = issue.checkoutRunId !== null;
  if (assignee !== null && isReady(issue, openBlockers) && !checkedOutByItself)
    yield* wake(unit, assignee, {
      issueId: issue.id,
      reason: "issue_assigned",
      isTriggered: command.isTriggered === true,
    });
  return issue;
});

type Named = Pick<
  CreateIssue,
  "companyId" | "assigneeAgentId" | "assigneeUserId" | "parentId" | "projectId" | "goalId"
>;

const readNamed = (stores: Stores, named: Named) =>
  Effect.all(
    {
      assignee: named.assigneeAgentId
        ? stores.agents.findInCompany(named.assigneeAgentId, named.companyId)
        : Effect.succeed(null),
      person: named.assigneeUserId ? stores.access.holdPerson(named.assigneeUserId) : Effect.succeed(null),
      missing: stores.issues.missingReferences(named.companyId, named),
    },
    { concurrency: "unbounded" },
  );

/** Returns the agent that is named; refuses what does not exist, cannot work, or takes no issues. */
const checkNamed = Effect.fnUntraced(function* (
  stores: Stores,
  { companyId, assigneeAgentId, assigneeUserId, projectId }: Named,
  found: Effect.Success<ReturnType<typeof readNamed>>,
) {
  const assignee = assigneeAgentId
    ? yield* Effect.fromResult(assignable(found.assignee, "assigneeAgentId"))
    : null;
  if (assigneeUserId) yield* Effect.fromResult(assignablePerson(found.person, companyId, "assigneeUserId"));
  if (found.missing[0] !== undefined) yield* Effect.fail(ReferenceNotFound.at(found.missing[0]));
  yield* requireOpenProject(stores, projectId);
  return assignee;
});

/** Refuses what a new issue names, as its creation would. */
export const requireNamed = Effect.fnUntraced(function* (stores: Stores, named: Named) {
  yield* checkNamed(stores, named, yield* readNamed(stores, named));
});

/** Reads what the new issue depends on; refuses a reference that does not exist. */
const readFacts = Effect.fnUntraced(function* (
  stores: Stores,
  command: IssueToMake,
  blockedBy: readonly IssueId[],
  labelIds: readonly LabelId[],
) {
  const { companyId } = command;
  const found = yield* Effect.all(
    {
      identifier: stores.companies.takeIdentifier(companyId),
      // Locked before the blockers are read: the change that closes the last of them wakes only the waiting issues that
      // it sees.
      links: blockedBy.length === 0 ? Effect.void : stores.issues.holdLinks(companyId),
      named: readNamed(stores, command),
      blockers: stores.issues.existing(blockedBy, companyId),
      labels: stores.labels.existing(labelIds, companyId),
    },
    { concurrency: "unbounded" },
  );
  const assignee = yield* checkNamed(stores, command, found.named);
  if (found.blockers.length < blockedBy.length) yield* Effect.fail(ReferenceNotFound.at("blockedByIssueIds"));
  if (found.labels.length < labelIds.length) yield* Effect.fail(ReferenceNotFound.at("labelIds"));
  const openBlockers = found.blockers.filter(({ status }) => !isClosed(status)).map(({ id }) => id);
  return { identifier: found.identifier, assignee, openBlockers };
});

/** Gives the issue its first status. In progress is a checkout by an agent for itself, in its run, or by the board. */
const begin = (
  fresh: Issue,
  { status = isAssigned(fresh) ? "todo" : "backlog" }: IssueToMake,
  openBlockers: readonly IssueId[],
  { by, at }: Pick<UnitOfWork, "by" | "at">,
): Result.Result<Issue, AssigneeRequired | NotAllowed | RunIdRequired | CheckOutRefusal> => {
  if (status !== "in_progress") return Result.succeed(beginIn(fresh, status, at));
  const { assigneeAgentId: agentId, assigneeUserId: userId } = fresh;
  if (userId !== null)
    return mayBeginForPerson(by).pipe(Result.andThen(() => beginByPerson(fresh, openBlockers, at)));
  if (agentId === null) return Result.fail(new AssigneeRequired());
  return mayClaimFor(by, agentId, "status").pipe(
    Result.andThen(() => requireRun(by)),
    Result.andThen(() =>
      checkOut(fresh, {
        agentId,
        runId: actingRun(by),
        expectedStatuses: ["todo"],
        holderIsActive: false,
        openBlockers,
        at,
      }),
    ),
  );
};
