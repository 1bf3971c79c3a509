import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type AdapterConfig, maskAdapterConfig } from "../../../core/agents/agent-config.ts";
import { type ApprovalComment, ApprovalNotFound } from "../../../core/approvals/approval.ts";
import { type Grant, GrantNotFound } from "../../../core/approvals/grant.ts";
import type { ApprovalCommentId, ApprovalId, CompanyId, GrantId, IssueId } from "../../../core/shared/ids.ts";
import type { ApprovalFilter, ApprovalView, ApprovalViews } from "../../../ports/views/approval-views.ts";
import type { IssueView } from "../../../ports/views/issue-views.ts";
import { CursorInvalid } from "../../../ports/views/page.ts";
import { approvalColumns, grantColumns, issueColumns } from "../columns.ts";
import { idCursor, pageOf } from "../cursor.ts";
import type { Database } from "../database.ts";
import { orFail } from "../rows.ts";

export const approvalViews = (database: Database): ApprovalViews => ({
  list: (filter, { limit, cursor }) => {
    const after = idCursor("approvals", cursor);
    return after instanceof CursorInvalid
      ? Effect.fail(after)
      : database
          .read(listApprovals(filter, after?.id ?? null, limit + 1))
          .pipe(Effect.map((rows) => pageOf(rows.map(masked), limit, "approvals", ({ id }) => [id])));
  },
  get: (id) =>
    database.first(getApproval(id)).pipe(
      orFail(() => new ApprovalNotFound()),
      Effect.map(masked),
    ),
  issues: (id) => database.read(issuesOfApproval(id)),
  ofIssue: (issueId) => database.read(approvalsOfIssue(issueId)).pipe(Effect.map((rows) => rows.map(masked))),
  comments: (id, { limit, cursor }) => {
    const after = idCursor("approval comments", cursor);
    return after instanceof CursorInvalid
      ? Effect.fail(after)
      : database
          .read(approvalComments(id, after?.id ?? null, limit + 1))
          .pipe(Effect.map((rows) => pageOf(rows, limit, "approval comments", (comment) => [comment.id])));
  },
  comment: (id) => database.first(approvalComment(id)).pipe(orFail(() => new ApprovalNotFound())),
  grants: (companyId) => database.read(listGrants(companyId)),
  grant: (id) => database.first(getGrant(id)).pipe(orFail(() => new GrantNotFound())),
});

const masked = (approval: ApprovalView): ApprovalView => {
  const config = approval.payload.adapterConfig;
  if (typeof config !== "object" || config === null) return approval;
  return {
    ...approval,
    payload: { ...approval.payload, adapterConfig: maskAdapterConfig(config as AdapterConfig) },
  };
};

const listApprovals = (filter: ApprovalFilter, after: string | null, limit: number) => (sql: Sql) =>
  sql<ApprovalView[]>`
  select    ${approvalColumns(sql)}
  from      approvals
  where     company_id = ${filter.companyId}
  ${filter.statuses === undefined ? sql`` : sql`and status = any(${filter.statuses}::text[])`}
  ${after === null ? sql`` : sql`and id < ${after}`}
  order by  id desc
  limit     ${limit}
`;

const getApproval = (id: ApprovalId) => (sql: Sql) =>
  sql<ApprovalView[]>`
  select  ${approvalColumns(sql)}
  from    approvals
  where   id = ${id}
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

const approvalsOfIssue = (issueId: IssueId) => (sql: Sql) =>
  sql<ApprovalView[]>`
  select    ${approvalColumns(sql)}
  from      approvals
  where     id in (select approval_id from approval_issues where issue_id = ${issueId})
  order by  id desc
`;

const approvalComments = (id: ApprovalId, after: string | null, limit: number) => (sql: Sql) =>
  sql<ApprovalComment[]>`
  select    id, company_id, approval_id, body, author_agent_id, author_user_id, created_at
  from      approval_comments
  where     approval_id = ${id}
  ${after === null ? sql`` : sql`and id > ${after}`}
  order by  id
  limit     ${limit}
`;

const approvalComment = (id: ApprovalCommentId) => (sql: Sql) =>
  sql<ApprovalComment[]>`
  select  id, company_id, approval_id, body, author_agent_id, author_user_id, created_at
  from    approval_comments
  where   id = ${id}
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
