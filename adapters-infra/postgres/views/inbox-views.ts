import type { Sql } from "postgres";
import { approvalTypes } from "../../../core/approvals/approval.ts";
import { permissionFor } from "../../../core/approvals/authority.ts";
import type { InboxFact, InboxScope } from "../../../core/inbox/inbox-entry.ts";
import type { CompanyId } from "../../../core/shared/ids.ts";
import type { InboxViews } from "../../../ports/views/inbox-views.ts";
import { byAge, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { entryOf } from "./inbox-columns.ts";
import { budgetAlerts, budgetStops } from "./inbox-of-budgets.ts";
import { assignedIssues, watchedIssues } from "./inbox-of-person.ts";

export const inboxViews = (database: Database): InboxViews => ({
  list: (scope, page) =>
    readPage(
      database,
      { kind: "inbox", of: { userId: scope.userId, rights: JSON.stringify(scope.rights) } },
      byAge,
      page,
      listEntries(scope),
    ),
  counts: (scope) => database.read(countEntries(scope)),
  find: (scope, entryId) => database.first(findEntry(scope, entryId)),
});

const listEntries =
  (scope: InboxScope) => (after: readonly [since: string, id: string] | null, limit: number) => (sql: Sql) =>
    sql<InboxFact[]>`
  ${waiting(scope, sql)}
  select    entry.*
  from      entry
  where     ${notDismissed(scope, sql)}
  ${after === null ? sql`` : sql`and (entry.waiting_since, entry.id) > (${after[0]}, ${after[1]})`}
  order by  entry.waiting_since, entry.id
  limit     ${limit}
`;

const countEntries = (scope: InboxScope) => (sql: Sql) =>
  sql<{ companyId: CompanyId; waiting: number }[]>`
  ${waiting(scope, sql)}
  select    company_id, count(*)::int as waiting
  from      entry
  where     ${notDismissed(scope, sql)}
  group by  company_id
  order by  company_id
`;

const findEntry = (scope: InboxScope, entryId: string) => (sql: Sql) =>
  sql<InboxFact[]>`
  ${waiting(scope, sql)}
  select  entry.*
  from    entry
  where   entry.id = ${entryId}
`;

const notDismissed = ({ userId }: InboxScope, sql: Sql) => sql`
  not exists (
    select
    from    inbox_dismissals aside
    where   aside.user_id = ${userId}
    and     aside.entry_id = entry.id
    and     aside.version = entry.version
  )
`;

/** The rights of the scope as rows of company and right. Archived companies have none. */
const rightRows = ({ rights }: InboxScope, sql: Sql) =>
  "everywhere" in rights
    ? sql`
        select      companies.id as company_id, companies.name as company_name, given.name
        from        companies
        cross join  unnest(${[...rights.everywhere]}::text[]) as given (name)
        where       companies.status <> 'archived'
      `
    : sql`
        select  companies.id as company_id, companies.name as company_name, given.name
        from    unnest(
                  ${rights.in.map(({ companyId }) => companyId)}::uuid[],
                  ${rights.in.map(({ right }) => right)}::text[]
                ) as given (company_id, name)
        join    companies on companies.id = given.company_id
        where   companies.status <> 'archived'
      `;

/** The right that each type of approval requires, by the policies of the core. */
const approvalRights = (sql: Sql) => sql`
  unnest(${[...approvalTypes]}::text[], ${approvalTypes.map(permissionFor)}::text[]) as policy (type, permission)
`;

/** Every entry that the rights of the scope allow, as the table expression `entry`. */
const waiting = (scope: InboxScope, sql: Sql) => sql`
  with r as materialized (${rightRows(scope, sql)}),
  -- The last run of an agent on an issue, where it failed and nothing tries it again.
  failed as materialized (
    select    run.id, run.company_id, run.agent_id, run.issue_id, run.error, run.finished_at
    from      r
    join      runs run
    on        run.company_id = r.company_id
    and       run.status in ('failed', 'timed_out', 'interrupted')
    and       run.finished_at > ${scope.since}
    where     r.name = 'operator'
    and       not exists (
                select
                from    runs later
                where   later.issue_id = run.issue_id
                and     later.agent_id = run.agent_id
                and     later.id > run.id
              )
    and       (
                run.issue_id is not null
                or not exists (
                  select
                  from    runs later
                  where   later.issue_id is null
                  and     later.agent_id = run.agent_id
                  and     later.id > run.id
                )
              )
    and       not exists (
                select
                from    wakes
                where   wakes.agent_id = run.agent_id
                and     wakes.issue_id is not distinct from run.issue_id
                and     wakes.status = 'pending'
              )
  ),
  entry as (
    select  ${entryOf(sql, {
      kind: sql`'approval'`,
      subject: "approval",
      id: sql`approval.id`,
      title: sql`coalesce(approval.payload ->> 'name', approval.payload ->> 'subject', approval.payload ->> 'title', approval.type)`,
      detail: sql`jsonb_build_object('approvalType', approval.type)`,
      since: sql`approval.updated_at`,
      version: sql`approval.payload_revision`,
      agent: true,
    })}
    from      r
    join      ${approvalRights(sql)} on policy.permission = r.name
    join      approvals approval on approval.company_id = r.company_id and approval.status = 'pending' and approval.type = policy.type
    left join agents agent on agent.id = approval.requested_by_agent_id
    union all
    select  ${entryOf(sql, {
      kind: sql`case card.kind when 'suggest_tasks' then 'suggested_tasks' when 'ask_user_questions' then 'questions' else 'confirmation' end`,
      subject: "interaction",
      id: sql`card.id`,
      title: sql`coalesce(card.title, card.payload ->> 'prompt', issue.title)`,
      since: sql`card.created_at`,
      version: sql`''`,
      issue: true,
      agent: true,
    })}
    from      r
    join      interactions card on card.company_id = r.company_id and card.status = 'pending'
    join      issues issue on issue.id = card.issue_id
    left join agents agent on agent.id = card.created_by_agent_id
    where     r.name = 'operator'
    union all
    ${assignedIssues(scope, sql)}
    union all
    ${watchedIssues(scope, sql)}
    union all
    ${budgetStops("agent", scope, sql)}
    union all
    ${budgetStops("project", scope, sql)}
    union all
    ${budgetStops("company", scope, sql)}
    union all
    ${budgetAlerts("agent", scope, sql)}
    union all
    ${budgetAlerts("project", scope, sql)}
    union all
    ${budgetAlerts("company", scope, sql)}
    union all
    select  ${entryOf(sql, {
      kind: sql`'failed_run'`,
      subject: "run",
      id: sql`failed.id`,
      title: sql`coalesce(issue.title, agent.name)`,
      detail: sql`jsonb_build_object('error', failed.error)`,
      since: sql`failed.finished_at`,
      version: sql`''`,
      issue: true,
      agent: true,
    })}
    from      failed
    join      r on r.company_id = failed.company_id and r.name = 'operator'
    join      agents agent on agent.id = failed.agent_id
    left join issues issue on issue.id = failed.issue_id
    where     agent.standing = 'active'
    and       coalesce(issue.status not in ('done', 'cancelled'), true)
    union all
    select  ${entryOf(sql, {
      kind: sql`'agent_error'`,
      subject: "agent",
      id: sql`agent.id`,
      title: sql`agent.name`,
      detail: sql`jsonb_build_object('error', agent.error_reason)`,
      since: sql`coalesce(agent.last_heartbeat_at, agent.updated_at)`,
      version: sql`coalesce(agent.last_heartbeat_at, agent.updated_at)`,
      agent: true,
    })}
    from    r
    join    agents agent on agent.company_id = r.company_id
    where   r.name = 'operator'
    and     agent.standing = 'active'
    and     agent.error_reason is not null
    and     not exists (select from failed where failed.agent_id = agent.id)
    union all
    select  ${entryOf(sql, {
      kind: sql`'held_run'`,
      subject: "run",
      id: sql`run.id`,
      title: sql`coalesce(issue.title, agent.name)`,
      since: sql`run.held_since`,
      version: sql`run.held_since`,
      issue: true,
      agent: true,
    })}
    from      r
    join      runs run on run.company_id = r.company_id and run.status = 'queued' and run.held_since is not null
    join      agents agent on agent.id = run.agent_id
    left join issues issue on issue.id = run.issue_id
    where     r.name = 'operator'
    union all
    select  ${entryOf(sql, {
      kind: sql`'stalled_issue'`,
      subject: "issue",
      id: sql`issue.id`,
      title: sql`issue.title`,
      since: sql`last_run.finished_at`,
      version: sql`last_run.id`,
      issue: true,
      agent: true,
    })}
    from          r
    join          issues issue on issue.company_id = r.company_id and issue.status = 'in_progress' and issue.checkout_run_id is null
    join          agents agent on agent.id = issue.assignee_agent_id
    cross join    lateral (
                    select    run.id, run.finished_at
                    from      runs run
                    where     run.issue_id = issue.id
                    order by  run.id desc
                    limit     1
                  ) as last_run
    where         r.name = 'operator'
    and           last_run.finished_at is not null
    and           not exists (select from failed where failed.issue_id = issue.id)
    and           not exists (
                    select
                    from    wakes
                    where   wakes.agent_id = agent.id
                    and     wakes.issue_id = issue.id
                    and     wakes.status = 'pending'
                  )
    union all
    select  ${entryOf(sql, {
      kind: sql`'missed_ticks'`,
      subject: "routine",
      id: sql`routine.id`,
      title: sql`routine.title`,
      detail: sql`jsonb_build_object('dropped', (missed.details ->> 'dropped')::int)`,
      since: sql`missed.created_at`,
      version: sql`missed.id`,
    })}
    from        r
    join        routines routine on routine.company_id = r.company_id and routine.status = 'active'
    cross join  lateral (
                  select    id, details, created_at
                  from      activity
                  where     activity.company_id = r.company_id
                  and       activity.action = 'routine.ticks_missed'
                  and       activity.entity_id = routine.id
                  and       activity.created_at > ${scope.since}
                  order by  activity.created_at desc
                  limit     1
                ) as missed
    where       r.name = 'operator'
    and         (missed.details ->> 'dropped')::int > 0
    union all
    select  ${entryOf(sql, {
      kind: sql`'unhealthy_vault'`,
      subject: "vault",
      id: sql`vault.id`,
      title: sql`vault.display_name`,
      detail: sql`jsonb_build_object('error', vault.health_message)`,
      since: sql`coalesce(vault.health_checked_at, vault.updated_at)`,
      version: sql`coalesce(vault.health_checked_at, vault.updated_at)`,
    })}
    from    r
    join    vaults vault on vault.company_id = r.company_id and vault.status in ('warning', 'error')
    where   r.name = 'operator'
  )
`;
