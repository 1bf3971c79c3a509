import * as Effect from "effect/Effect";
import { z } from "zod";
import { RunEnded, RunIdRequired } from "../../../core/model/access/caller.ts";
import { UserNotAssignable } from "../../../core/model/access/person.ts";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { CompanyNotFound } from "../../../core/model/companies/company.ts";
import { TwoAssignees } from "../../../core/model/issues/assignee.ts";
import { planInDescription, planKey } from "../../../core/model/issues/documents/document.ts";
import { GatesUnmet } from "../../../core/model/issues/gates/judge-gates.ts";
import {
  AssigneeRequired,
  InvalidStatusTransition,
  type Issue,
  IssueChanged,
  IssueHeldByAnother,
  IssueNotFound,
  IssueNotYours,
  IssueStatusUnexpected,
  NotTheAssignee,
  UnresolvedBlockers,
} from "../../../core/model/issues/issue.ts";
import { issueOrders } from "../../../core/model/issues/issue-order.ts";
import { issueStatuses } from "../../../core/model/issues/issue-status.ts";
import { ProjectArchived } from "../../../core/model/projects/project.ts";
import { wakeRefusals } from "../../../core/model/runs/wake-refusal.ts";
import { TooManyRecords } from "../../../core/model/shared/bounds.ts";
import {
  NotAllowed,
  ReferenceNotFound,
  ValidationFailed,
  WouldFormACycle,
} from "../../../core/model/shared/failure.ts";
import type { CommentId, GoalId, IssueId, ProjectId } from "../../../core/model/shared/ids.ts";
import { addIssueActions, type ShownIssue } from "../../../core/work/issues/show-issue.ts";
import type { IssueListing } from "../../../ports/views/issue-views.ts";
import { type PageRequest, shownAs } from "../../../ports/views/page.ts";
import type { Views } from "../../../ports/views.ts";
import { acting, inCompany, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { sharedRead } from "../endpoint/shared-read.ts";
import { type ReaderOfSubject, subjectEndpoint } from "../endpoint/subject-endpoint.ts";
import {
  AgentReference,
  Flag,
  IssueReference,
  id,
  LabelReference,
  Name,
  NonBlank,
  PointInTime,
  reference,
  ShortText,
} from "../endpoint/values.ts";
import { comments } from "./comments.ts";
import { filterOf, issueFilters } from "./issue-filters.ts";
import {
  ChangedIssueShape,
  CommentShape,
  IssueDetailShape,
  IssueHitShape,
  IssueRowShape,
  IssueShape,
  issueFields,
  ProgressShape,
  undoableSec,
} from "./issue-shapes.ts";

/** The specification's names of two fields, in addition to our own. */
const namedAsSpecified = ({ startedAt, completedAt }: Issue) => ({
  started_at: startedAt,
  completed_at: completedAt,
});

export const presentIssue = <T extends Issue>(issue: T) => ({ ...issue, ...namedAsSpecified(issue) });

interface AskedList {
  readonly listing: IssueListing;
  readonly page: PageRequest;
}

const readList = sharedRead(({ views }, { listing, page }: AskedList) => views.issues.list(listing, page));

/** Falls back to the plan in the description, which predates documents. Adds to the record, which it has alone. */
const detail = (found: ShownIssue, { caller, at }: ReaderOfSubject) => {
  const issue = addIssueActions(found, caller, at);
  const body = issue.planDocument === null ? planInDescription(issue.description) : null;
  return Object.assign(issue, {
    ...namedAsSpecified(issue),
    legacyPlanDocument: body === null ? null : { key: planKey, body, source: "issue_description" as const },
  });
};

/** Adds the labels if the call set them. */
const shownWith = (views: Views, issue: Issue, withLabels: boolean) =>
  !withLabels
    ? Effect.succeed(issue)
    : views.issues.get(issue.id).pipe(
        Effect.orDie,
        Effect.map((found) => ({ ...issue, labels: found.issue.labels })),
      );

export const issues = {
  list: pageEndpoint({
    path: "/api/companies/{companyId}/issues",
    summary: "List the issues of a company",
    description:
      "Sorted by priority, then by last activity: an issue that changes while you page may be missed or repeated. `sort=activity` lists the last active first; `sort=created` and `sort=newest` list every issue exactly once, oldest or newest first. `slim=true` leaves the descriptions out.",
    access: inCompany("viewer"),
    query: {
      ...issueFilters,
      sort: z.enum(issueOrders).default("priority"),
      slim: Flag.optional().describe("Without descriptions."),
    },
    limits: { default: 500, max: 1000 },
    row: IssueRowShape,
    failures: [ValidationFailed],
    run: (app, { limit, cursor, sort, slim, ...asked }, { caller }) =>
      Effect.flatMap(filterOf(asked, caller), (filter) =>
        readList(app, { listing: { ...filter, sort, slim }, page: { limit, cursor } }),
      ),
  }),
  count: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/issues/count",
    summary: "Count the issues of a company",
    description:
      "Counts issues of all statuses, closed ones included, unless `status` names some. The filters are those of the list.",
    access: inCompany("viewer"),
    query: z.strictObject(issueFilters),
    returns: z.object({ count: z.number() }),
    failures: [ValidationFailed],
    run: ({ views }, asked, { caller }) =>
      filterOf(asked, caller).pipe(
        Effect.flatMap((filter) => views.issues.count(filter)),
        Effect.map((count) => ({ count })),
      ),
  }),
  progress: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/issues/progress",
    summary: "Count the issues of each project or each goal of a company, by status",
    description: "Those without any issue are left out; of the newest 1,000, or of the one with the id.",
    access: inCompany("viewer"),
    query: z.strictObject({
      by: z.enum(["project", "goal"]),
      id: reference<ProjectId | GoalId>().optional().describe("Only of this project or goal."),
    }),
    returns: z.array(ProgressShape).readonly(),
    run: ({ views }, { companyId, by, id: only }) =>
      views.issues.progress({ companyId, by, id: only, limit: 1_000 }),
  }),
  search: pageEndpoint({
    path: "/api/companies/{companyId}/issues/search",
    summary: "Search issues by words",
    description:
      'Searches titles, descriptions, comments and documents, best match first. Takes words that all occur in one of them, "a phrase", `or` and `-not`; an identifier finds its issue. For a word that very many contain, the newest 1,000 issues, 1,000 comments and 1,000 documents are ranked; the list with `q` leaves out none.',
    access: inCompany("viewer"),
    query: { q: ShortText },
    limits: { default: 50, max: 200 },
    row: IssueHitShape,
    run: ({ views }, { companyId, q, limit, cursor }) =>
      views.search.issues(companyId, q, { limit, cursor }).pipe(Effect.map(shownAs(presentIssue))),
  }),
  get: subjectEndpoint({
    path: "/api/issues/{issueId}",
    summary: "Show an issue with its project, goal, ancestors and documents",
    description:
      "By id or identifier, such as ABC-12. The plan is given with its text, other documents without; comments, interactions and files have their own lists.",
    access: inCompanyOf("issue", "viewer"),
    returns: IssueDetailShape,
    failures: [IssueNotFound],
    read: ({ issues }, issueId) => issues.show(issueId as IssueId),
    present: detail,
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/issues",
    summary: "Create an issue",
    description:
      "Its status is todo with an assignee, else backlog. An agent as its assignee is woken; a person has it in the inbox. The person who creates it watches it, and so does the person to whom it is assigned.",
    access: acting("company", "createIssue"),
    body: z.strictObject({
      title: Name,
      assigneeAgentId: AgentReference.nullable().optional(),
      ...issueFields,
    }),
    returns: IssueShape,
    status: 201,
    failures: [
      AgentNotAssignable,
      AssigneeRequired,
      CompanyNotFound,
      GatesUnmet,
      InvalidStatusTransition,
      IssueHeldByAnother,
      IssueStatusUnexpected,
      NotAllowed,
      ProjectArchived,
      ...wakeRefusals,
      ReferenceNotFound,
      RunIdRequired,
      TooManyRecords,
      TwoAssignees,
      UnresolvedBlockers,
      UserNotAssignable,
    ],
    creates: {
      again: ({ views }, id) =>
        views.issues.get(id as IssueId).pipe(
          Effect.map(({ issue: { labels, ...issue } }) =>
            presentIssue(labels.length === 0 ? issue : { ...issue, labels }),
          ),
          Effect.orDie,
        ),
    },
    run: ({ issues, views }, input, { by, newId }) =>
      issues.create({ ...input, id: newId<IssueId>(), by }).pipe(
        Effect.flatMap((issue) => shownWith(views, issue, (input.labelIds ?? []).length > 0)),
        Effect.map(presentIssue),
      ),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/issues/{issueId}",
    summary: "Change an issue, with a comment in the same call",
    description:
      "To in_progress it is a checkout and needs an assignee; from in_progress to todo it is a release. A person as the assignee replaces an agent, and the other way round. Removing the last open blocker wakes the assignee. Agents need a run. done is refused while a gate of the project is not met (`gates` shows them); only the board takes an issue out of a project with gates.",
    access: acting("issue", "update"),
    body: z.strictObject({
      title: Name.optional(),
      assigneeAgentId: ShortText.nullable().optional().describe("An agent's id or urlKey."),
      ...issueFields,
      comment: NonBlank.optional().describe("Markdown."),
      overrideGates: z
        .boolean()
        .optional()
        .describe("true: done although its gates are not met. Only by the board; it is logged."),
      expectedUpdatedAt: PointInTime.optional().describe(
        "The updatedAt that you read; refused if the issue has changed since, with its present values.",
      ),
      undoableSec,
    }),
    returns: IssueShape.extend({ comment: CommentShape.nullable() }),
    failures: [
      AgentNotAssignable,
      AssigneeRequired,
      GatesUnmet,
      InvalidStatusTransition,
      IssueChanged,
      IssueHeldByAnother,
      IssueNotFound,
      IssueNotYours,
      IssueStatusUnexpected,
      NotAllowed,
      ProjectArchived,
      ...wakeRefusals,
      ReferenceNotFound,
      RunEnded,
      RunIdRequired,
      TooManyRecords,
      TwoAssignees,
      UnresolvedBlockers,
      UserNotAssignable,
      WouldFormACycle,
    ],
    run: ({ issues, views }, { comment, ...input }, { by, newId }) =>
      issues
        .update({
          ...input,
          by,
          comment: comment === undefined ? undefined : { id: newId<CommentId>(), body: comment },
        })
        .pipe(
          Effect.flatMap(({ issue, comment }) =>
            shownWith(views, issue, input.labelIds !== undefined).pipe(
              Effect.map((shown) => ({ ...presentIssue(shown), comment })),
            ),
          ),
        ),
  }),
  updateMany: endpoint({
    method: "PATCH",
    path: "/api/companies/{companyId}/issues",
    summary: "Make the same change to several issues",
    description:
      "Each issue is changed by itself, in the order given, with the rules and consequences of a single change; the answer has the result of each. If one is refused, the others are changed.",
    access: acting("company", "updateIssues"),
    body: z.strictObject({
      issueIds: z.array(IssueReference).min(1).max(100),
      status: issueFields.status,
      priority: issueFields.priority,
      assigneeAgentId: ShortText.nullable().optional().describe("An agent's id or urlKey."),
      assigneeUserId: issueFields.assigneeUserId,
      parentId: issueFields.parentId,
      projectId: issueFields.projectId,
      goalId: issueFields.goalId,
      addLabelIds: z.array(LabelReference).min(1).max(100).optional().describe("Labels that each gets."),
      removeLabelIds: z.array(LabelReference).min(1).max(100).optional().describe("Labels that each loses."),
      undoableSec,
    }),
    returns: z.array(ChangedIssueShape).readonly(),
    run: ({ issues }, input, { by }) =>
      issues.updateMany({ ...input, by }).pipe(
        Effect.map((results) =>
          results.map(({ issueId, issue, refusal }) => ({
            issueId,
            issue: issue === null ? null : presentIssue(issue),
            refusal: refusal === null ? null : { code: refusal.code, error: refusal.message },
          })),
        ),
      ),
  }),
  checkout: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/checkout",
    summary: "Claim an issue for an agent",
    description: "Idempotent for the holder. A 409 must never be retried.",
    access: acting("issue", "checkout"),
    body: z.strictObject({
      agentId: AgentReference,
      expectedStatuses: z.array(z.enum(issueStatuses)).min(1).max(issueStatuses.length),
    }),
    returns: IssueShape.extend({
      tree: id
        .nullable()
        .describe(
          "The issue's workspace that the run works in. null where it has none: of an issue with a workspace a new run begins, which has it.",
        ),
    }),
    failures: [
      AgentNotAssignable,
      InvalidStatusTransition,
      IssueHeldByAnother,
      IssueNotFound,
      IssueStatusUnexpected,
      NotAllowed,
      ...wakeRefusals,
      ReferenceNotFound,
      RunEnded,
      RunIdRequired,
      UnresolvedBlockers,
    ],
    run: ({ issues }, input, { by, companyId }) =>
      issues
        .checkout({ ...input, companyId, by })
        .pipe(Effect.map(({ issue, workspace }) => ({ ...presentIssue(issue), tree: workspace }))),
  }),
  release: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/release",
    summary: "Release an issue",
    description:
      "Removes the assignee; in_progress becomes todo. If the board releases it while a run works on it, that run is stopped.",
    access: acting("issue", "release"),
    returns: IssueShape,
    failures: [IssueHeldByAnother, IssueNotFound, IssueNotYours, NotTheAssignee, RunIdRequired],
    run: ({ issues }, { issueId }, { by }) => issues.release({ issueId, by }).pipe(Effect.map(presentIssue)),
  }),
  ...comments,
};
