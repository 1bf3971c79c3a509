import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import {
  type Approval,
  type ApprovalComment,
  ApprovalNotFound,
  type ApprovalType,
  type HireToJudge,
} from "../../../core/model/approvals/approval.ts";
import { openApprovalStatuses } from "../../../core/model/approvals/approval-status.ts";
import type { AgentId, ApprovalId, CompanyId, IssueId, RunId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { ApprovalStore, LinkedIssue } from "../../../ports/stores/approval-store.ts";
import { approvalColumns, approvalCommentColumns } from "../columns.ts";
import { columnsOf } from "../columns-of.ts";
import { setOf } from "../facts.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const approvalStore = (tx: Statements): ApprovalStore => ({
  find: (id) => tx.first(findApproval(id)).pipe(orFail(() => new ApprovalNotFound())),
  findHireOutline: (id) => tx.first(findHireOutline(id)).pipe(orFail(() => new ApprovalNotFound())),
  lock: (id) => tx.first(lockApproval(id)).pipe(orFail(() => new ApprovalNotFound())),
  lockHireOf: (agentId) => tx.first(lockHireOf(agentId)),
  saveRound: (approval) => tx.write(saveRound(approval)),
  insert: (approval) => tx.write(insertApproval(approval)),
  save: (approval) => tx.write(saveApproval(approval)),
  link: (companyId, id, issueIds, at) => tx.write(linkIssues(companyId, id, issueIds, at)),
  unlink: (id, issueId) =>
    tx.first(unlinkIssue(id, issueId)).pipe(Effect.map((unlinked) => unlinked !== null)),
  linkedIssues: (id) => tx.read(linkedIssues(id)),
  issueOfRun: (runId) => tx.first(issueOfRun(runId)).pipe(Effect.map((run) => run?.issueId ?? null)),
  insertComment: (comment) => tx.write(insertApprovalComment(comment)),
});

const findApproval = (id: ApprovalId) => (sql: Sql) =>
  sql<Approval[]>`
  select  ${approvalColumns(sql)}
  from    approvals
  where   id = ${id}
`;

const findHireOutline = (id: ApprovalId) => (sql: Sql) =>
  sql<HireToJudge[]>`
  select  company_id, status, outline as payload, agent_id, granted_paths
  from    approvals
  where   id = ${id}
  and     type = ${"hire_agent" satisfies ApprovalType}
`;

const lockApproval = (id: ApprovalId) => (sql: Sql) =>
  sql<Approval[]>`
  select  ${approvalColumns(sql)}
  from    approvals
  where   id = ${id}
  for     no key update
`;

const lockHireOf = (agentId: AgentId) => (sql: Sql) =>
  sql<Approval[]>`
  select  ${approvalColumns(sql)}
  from    approvals
  where   agent_id = ${agentId}
  and     status in ${setOf(sql, openApprovalStatuses)}
  for     no key update
`;

const insertApproval = (approval: Approval) => (sql: Sql) =>
  sql`
  insert into approvals ${approvalColumns.values(sql, approval)}
`;

const roundColumns = columnsOf(`
  company_id, approval_id, payload_revision, payload jsonb, status, decision_note, decided_by_agent_id,
  decided_by_user_id, decided_at
`);

const saveRound = (round: Approval) => (sql: Sql) =>
  sql`
  insert into approval_rounds ${roundColumns.values(sql, { ...round, approvalId: round.id })}
`;

const savedColumns = approvalColumns.without(`
  id, company_id, type, requested_by_agent_id, requested_by_user_id, created_at
`);

const saveApproval = (approval: Approval) => (sql: Sql) =>
  sql`
  update  approvals
  set     ${savedColumns.assign(sql, approval)}
  where   id = ${approval.id}
`;

const linkIssues =
  (companyId: CompanyId, id: ApprovalId, issueIds: readonly IssueId[], at: Instant) => (sql: Sql) =>
    sql`
  insert into approval_issues (company_id, approval_id, issue_id, created_at)
  select    ${companyId}, ${id}, issue_id, ${at}
  from      unnest(${issueIds}::uuid[]) with ordinality as linked (issue_id, ordinal)
  order by  ordinal
  on conflict do nothing
`;

const unlinkIssue = (id: ApprovalId, issueId: IssueId) => (sql: Sql) =>
  sql<{ issueId: IssueId }[]>`
  delete from approval_issues
  where       approval_id = ${id}
  and         issue_id = ${issueId}
  returning   issue_id
`;

const linkedIssues = (id: ApprovalId) => (sql: Sql) =>
  sql<LinkedIssue[]>`
  select    issue.id, issue.identifier, issue.status, issue.assignee_agent_id
  from      approval_issues link
  join      issues issue on issue.id = link.issue_id
  where     link.approval_id = ${id}
  order by  link.position
`;

const issueOfRun = (runId: RunId) => (sql: Sql) =>
  sql<{ issueId: IssueId | null }[]>`
  select  issue_id
  from    runs
  where   id = ${runId}
`;

const insertApprovalComment = (comment: ApprovalComment) => (sql: Sql) =>
  sql`
  insert into approval_comments ${approvalCommentColumns.values(sql, comment)}
`;
