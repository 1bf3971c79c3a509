import type { Fragment, Sql } from "postgres";
import { closedStatuses } from "../../core/model/issues/issue-status.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import { setOf } from "./facts.ts";
import { projectBudgetHolds } from "./holds.ts";

/** Whether the issue under this alias has an interaction that nobody has answered. */
export const waitsForAnswer = (sql: Sql, issue: Fragment) => sql`
  exists (
    select
    from    interactions asked
    where   asked.issue_id = ${issue}.id
    and     asked.status = 'pending'
  )
`;

/** Whether an open issue blocks the issue under this alias. */
export const isBlocked = (sql: Sql, issue: Fragment) => sql`
  exists (
    select
    from    issue_blockers link
    join    issues blocker on blocker.id = link.blocked_by_id
    where   link.issue_id = ${issue}.id
    and     blocker.status not in ${setOf(sql, closedStatuses)}
  )
`;

/** `IdleFacts` of the core, as JSON, of the issue under this alias. */
export const idleFacts = (sql: Sql, issue: Fragment, at: Instant) => sql`
  jsonb_build_object(
    'status', ${issue}.status,
    'waitsForAnswer', ${waitsForAnswer(sql, issue)},
    'isBlocked', ${isBlocked(sql, issue)},
    'isHeldByProjectBudget', ${projectBudgetHolds(sql, issue, at)},
    'awaitsGates', ${issue}.awaits_gates_since is not null
  )
`;
