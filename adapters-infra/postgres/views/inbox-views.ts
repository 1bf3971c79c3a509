import type { Sql } from "postgres";
import type { InboxFact, InboxScope } from "../../../core/inbox/inbox-entry.ts";
import type { CompanyId } from "../../../core/shared/ids.ts";
import type { InboxViews } from "../../../ports/views/inbox-views.ts";
import { byAge, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { budgetAlerts, budgetStops } from "./inbox-of-budgets.ts";
import { assignedIssues, watchedIssues } from "./inbox-of-person.ts";
import { pendingApprovals, pendingCards } from "./inbox-of-requests.ts";
import { missedTicks } from "./inbox-of-routines.ts";
import { agentsInError, failedRuns, heldRuns, lastFailures, stalledIssues } from "./inbox-of-runs.ts";
import { unhealthyVaults } from "./inbox-of-vaults.ts";

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

/** Every entry that the rights of the scope allow, as the table expression `entry`. */
const waiting = (scope: InboxScope, sql: Sql) => sql`
  with r as materialized (${rightRows(scope, sql)}),
  failed as materialized (${lastFailures(scope, sql)}),
  entry as (
    ${pendingApprovals(sql)}
    union all
    ${pendingCards(sql)}
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
    ${failedRuns(sql)}
    union all
    ${agentsInError(sql)}
    union all
    ${heldRuns(sql)}
    union all
    ${stalledIssues(sql)}
    union all
    ${missedTicks(scope, sql)}
    union all
    ${unhealthyVaults(sql)}
  )
`;
