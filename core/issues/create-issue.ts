import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { type Actor, authorOf, RunIdRequired } from "../access/caller.ts";
import { wakeAgent } from "../runs/wake-agent.ts";
import { ReferenceNotFound } from "../shared/failure.ts";
import type { AgentId, CompanyId, GoalId, IssueId, LabelId, ProjectId, RoutineId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { AgentNotAssignable, mayClaimFor } from "./assignee.ts";
import { AssigneeRequired, beginIn, checkOut, type Issue } from "./issue.ts";
import { type IssueStatus, isClosed, type Priority } from "./issue-status.ts";
import { putLabels } from "./put-labels.ts";

export interface CreateIssue {
  readonly id: IssueId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly title: string;
  readonly description?: string | null | undefined;
  /** Default: todo where an assignee is given, else backlog. */
  readonly status?: IssueStatus | undefined;
  readonly priority?: Priority | undefined;
  readonly assigneeAgentId?: AgentId | null | undefined;
  readonly parentId?: IssueId | null | undefined;
  readonly projectId?: ProjectId | null | undefined;
  readonly goalId?: GoalId | null | undefined;
  readonly billingCode?: string | null | undefined;
  readonly blockedByIssueIds?: readonly IssueId[] | undefined;
  readonly labelIds?: readonly LabelId[] | undefined;
}

export const createIssue = (transactor: Transactor, clock: Clock, ids: Ids) => (command: CreateIssue) =>
  transactor.transact((stores) => makeIssue(stores, ids, command, clock.now()));

/** Makes the issue and its assignee's wake, in the transaction of whatever it comes from. */
export const makeIssue = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  command: CreateIssue & { readonly routineId?: RoutineId },
  at: Instant,
) {
  const { companyId, by } = command;
  const blockedBy = [...new Set(command.blockedByIssueIds ?? [])];
  const [identifier, , assignee, missing, blockers] = yield* Effect.all(
    [
      stores.companies.takeIdentifier(companyId),
      // Before they are looked at: whoever closes the last of them wakes those only that it sees waiting.
      blockedBy.length === 0 ? Effect.void : stores.issues.holdLinks(companyId),
      command.assigneeAgentId
        ? stores.agents.findInCompany(command.assigneeAgentId, companyId)
        : Effect.succeed(null),
      stores.issues.missingReferences(companyId, command),
      stores.issues.existing(blockedBy, companyId),
    ],
    { concurrency: "unbounded" },
  );
  if (command.assigneeAgentId && assignee === null)
    yield* Effect.fail(ReferenceNotFound.at("assigneeAgentId"));
  if (assignee?.standing === "pending_approval") yield* Effect.fail(new AgentNotAssignable());
  if (missing[0] !== undefined) yield* Effect.fail(ReferenceNotFound.at(missing[0]));
  if (blockers.length < blockedBy.length) yield* Effect.fail(ReferenceNotFound.at("blockedByIssueIds"));
  const openBlockers = blockers.filter(({ status }) => !isClosed(status)).map(({ id }) => id);

  const status = command.status ?? (assignee === null ? "backlog" : "todo");
  const fresh: Issue = {
    id: command.id,
    companyId,
    identifier,
    title: command.title,
    description: command.description ?? null,
    status: "todo",
    priority: command.priority ?? "medium",
    assigneeAgentId: assignee?.id ?? null,
    checkoutRunId: null,
    heldSince: null,
    parentId: command.parentId ?? null,
    projectId: command.projectId ?? null,
    goalId: command.goalId ?? null,
    routineId: command.routineId ?? null,
    billingCode: command.billingCode ?? null,
    ...authorOf(by),
    startedAt: null,
    completedAt: null,
    cancelledAt: null,
    lastActivityAt: at,
    createdAt: at,
    updatedAt: at,
  };
  const self = by.kind === "agent" && by.agentId === assignee?.id;
  let issue = fresh;
  if (status === "in_progress") {
    if (assignee === null) return yield* Effect.fail(new AssigneeRequired());
    yield* Effect.fromResult(mayClaimFor(by, assignee.id, "status"));
    if (self && by.runId === null) return yield* Effect.fail(new RunIdRequired());
    issue = yield* Effect.fromResult(
      checkOut(fresh, {
        agentId: assignee.id,
        runId: self ? by.runId : null,
        expectedStatuses: ["todo"],
        holderIsActive: false,
        openBlockers,
        at,
      }),
    );
  } else issue = beginIn(fresh, status, at);

  yield* stores.issues.insert(issue);
  yield* putLabels(stores, issue, command.labelIds);
  if (blockedBy.length > 0) yield* stores.issues.replaceBlockers(companyId, issue.id, blockedBy);
  yield* stores.activity.append({
    companyId,
    by,
    at,
    action: "issue.created",
    entityId: issue.id,
    details: { identifier, title: issue.title },
  });
  const checkedOutItself = self && issue.checkoutRunId !== null;
  const ready = issue.status === "todo" || issue.status === "in_progress";
  if (assignee !== null && ready && openBlockers.length === 0 && !checkedOutItself)
    yield* wakeAgent(stores, ids, {
      agent: assignee,
      company: assignee.companyStatus,
      issueId: issue.id,
      reason: "issue_assigned",
      by,
      at,
    });
  return issue;
});
