import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import {
  type ApprovalComment,
  ApprovalNotFound,
  type Round,
} from "../../../core/model/approvals/approval.ts";
import { type Grant, GrantNotFound } from "../../../core/model/approvals/grant.ts";
import type { CompanyStatus } from "../../../core/model/companies/company.ts";
import type {
  AgentId,
  ApprovalCommentId,
  ApprovalId,
  CompanyId,
  GrantId,
  IssueId,
} from "../../../core/model/shared/ids.ts";
import type { ApprovalFilter, ApprovalView, ApprovalViews } from "../../../ports/views/approval-views.ts";
import type { IssueView } from "../../../ports/views/issue-views.ts";
import { approvalColumns, approvalCommentColumns, grantColumns, issueColumns } from "../columns.ts";
import { byId, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { companyStatusOf } from "../facts.ts";
import { orFail } from "../rows.ts";

export const approvalViews = (database: Database): ApprovalViews => ({
  list: (filter, page) =>
    readPage(database, { kind: "approvals", of: { ...filter } }, byId, page, listApprovals(filter)),
  get: (id, caller) =>
    Effect.all(
      {
        approval: database.first(getApproval(id)).pipe(orFail(() => new ApprovalNotFound())),
        rounds: database.read(earlierRounds(id)),
        grants: caller.kind === "agent" ? database.read(grantsOf(caller.agentId)) : Effect.succeed([]),
      },
      { concurrency: "unbounded" },
    ).pipe(
      Effect.map(({ approval: { companyStatus, ...rest }, rounds, grants }) => {
        const approval = rest as ApprovalView;
        return {
          approval: { ...approval, history: [...rounds, roundOf(approval)] },
          companyStatus,
          grants,
        };
      }),
    ),
  issues: (id) => database.read(issuesOfApproval(id)),
  ofIssue: (issueId, page) =>
    readPage(
      database,
      { kind: "approvals of issue", of: { issueId } },
      byId,
      page,
      approvalsOfIssue(issueId),
    ),
  comments: (id, page) =>
    readPage(database, { kind: "approval comments", of: { id } }, byId, page, approvalComments(id)),
  comment: (id) => database.first(approvalComment(id)).pipe(orFail(() => new ApprovalNotFound())),
  grants: (companyId) => database.read(listGrants(companyId)),
  grant: (id) => database.first(getGrant(id)).pipe(orFail(() => new GrantNotFound())),
});

/** Reads the newest of each requested status, then the newest of those: each status uses an index in order. */
const listApprovals =
  (filter: ApprovalFilter) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) => {
    const of = (status: Fragment) => sql`
      select    ${approvalColumns(sql)}
      from      approvals
      where     company_id = ${filter.companyId}
      ${filter.types === undefined ? sql`` : sql`and type = any(${filter.types}::text[])`}
      ${status}
      ${after === null ? sql`` : sql`and id < ${after[0]}`}
      order by  id desc
      limit     ${limit}
    `;
    return filter.statuses === undefined
      ? sql<ApprovalView[]>`${of(sql``)}`
      : sql<ApprovalView[]>`
          select      approval.*
          from        unnest(${[...new Set(filter.statuses)]}::text[]) as asked (status)
          cross join  lateral (${of(sql`and status = asked.status`)}) as approval
          order by    approval.id desc
          limit       ${limit}
        `;
  };

const getApproval = (id: ApprovalId) => (sql: Sql) =>
  sql<(ApprovalView & { readonly companyStatus: CompanyStatus })[]>`
  select  ${approvalColumns(sql)},
          ${companyStatusOf(sql, sql`approvals`)}
  from    approvals
  where   id = ${id}
`;

const roundOf = (approval: ApprovalView): Round => ({
  payload: approval.payload,
  payloadRevision: approval.payloadRevision,
  status: approval.status,
  decisionNote: approval.decisionNote,
  decidedByAgentId: approval.decidedByAgentId,
  decidedByUserId: approval.decidedByUserId,
  decidedAt: approval.decidedAt,
});

const earlierRounds = (id: ApprovalId) => (sql: Sql) =>
  sql<Round[]>`
  select    payload, payload_revision, status, decision_note, decided_by_agent_id, decided_by_user_id, decided_at
  from      approval_rounds
  where     approval_id = ${id}
  order by  payload_revision
`;

const issuesOfApproval = (id: ApprovalId) => (sql: Sql) =>
  sql<IssueView[]>`
  select    ${issueColumns(sql)}
  from      issues
  join      (
              select  issue_id, position
              from    approval_issues
              where   approval_id = ${id}
            ) as link on link.issue_id = issues.id
  order by  link.position desc
`;

const approvalsOfIssue =
  (issueId: IssueId) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) =>
    sql<ApprovalView[]>`
  select    ${approvalColumns(sql)}
  from      approvals
  join      (
              select    approval_id
              from      approval_issues
              where     issue_id = ${issueId}
              ${after === null ? sql`` : sql`and approval_id < ${after[0]}`}
              order by  approval_id desc
              limit     ${limit}
            ) as link on link.approval_id = approvals.id
  order by  id desc
`;

const approvalComments =
  (id: ApprovalId) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) =>
    sql<ApprovalComment[]>`
  select    ${approvalCommentColumns(sql)}
  from      approval_comments
  where     approval_id = ${id}
  ${after === null ? sql`` : sql`and id > ${after[0]}`}
  order by  id
  limit     ${limit}
`;

const approvalComment = (id: ApprovalCommentId) => (sql: Sql) =>
  sql<ApprovalComment[]>`
  select  ${approvalCommentColumns(sql)}
  from    approval_comments
  where   id = ${id}
`;

/** Those that are not revoked. */
const grantsOf = (agentId: AgentId) => (sql: Sql) =>
  sql<Grant[]>`
  select    ${grantColumns(sql)}
  from      grants
  where     agent_id = ${agentId}
  and       revoked_at is null
  order by  id
`;

const listGrants = (companyId: CompanyId) => (sql: Sql) =>
  sql<Grant[]>`
  select    ${grantColumns(sql)}
  from      grants
  where     company_id = ${companyId}
  order by  id desc
`;

const getGrant = (id: GrantId) => (sql: Sql) =>
  sql<Grant[]>`
  select  ${grantColumns(sql)}
  from    grants
  where   id = ${id}
`;
