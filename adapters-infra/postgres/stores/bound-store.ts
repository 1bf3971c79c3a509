import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import { openApprovalStatuses } from "../../../core/model/approvals/approval-status.ts";
import { closedStatuses } from "../../../core/model/issues/issue-status.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { BoundStore, Counted } from "../../../ports/stores/bound-store.ts";
import { setOf } from "../facts.ts";
import type { Statements } from "../transaction.ts";

export const boundStore = (tx: Statements): BoundStore => ({
  count: (of, companyId, id) => Effect.map(tx.first(countOf(of, companyId, id)), (row) => row?.count ?? 0),
});

/** The rows that a bound counts. */
const counted: Readonly<Record<Counted, (sql: Sql, id: string) => Fragment>> = {
  openApprovals: (sql, id) =>
    sql`approvals where requested_by_agent_id = ${id} and status in ${setOf(sql, openApprovalStatuses)}`,
  openInteractions: (sql, id) => sql`interactions where created_by_agent_id = ${id} and status = 'pending'`,
  approvalIssues: (sql, id) => sql`approval_issues where approval_id = ${id}`,
  issuesOfPerson: (sql, id) =>
    sql`issues where assignee_user_id = ${id} and status not in ${setOf(sql, closedStatuses)}`,
  blockedIssues: (sql, id) => sql`issue_blockers where blocked_by_id = ${id}`,
  documents: (sql, id) => sql`documents where issue_id = ${id}`,
  labels: (sql) => sql`labels where true`,
  routinesOfAgent: (sql, id) => sql`routines where created_by_agent_id = ${id}`,
  eventSubscriptions: (sql) => sql`event_subscriptions where true`,
  triggers: (sql, id) => sql`routine_triggers where routine_id = ${id} and deleted_at is null`,
};

const countOf = (of: Counted, companyId: CompanyId, id: string) => (sql: Sql) =>
  sql<{ count: number }[]>`
  select  count(*)::int as count
  from    ${counted[of](sql, id)}
  and     company_id = ${companyId}
`;
