import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { InboxState } from "../../../core/model/inbox/inbox-actions.ts";
import type { InboxFact, InboxScope } from "../../../core/model/inbox/inbox-entry.ts";
import { type InboxSubject, newsKinds } from "../../../core/model/inbox/inbox-kind.ts";
import type { IssueStatus } from "../../../core/model/issues/issue-status.ts";
import type { InboxCount, InboxFilter, InboxViews } from "../../../ports/views/inbox-views.ts";
import { byAge, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { hasGates } from "../facts.ts";
import { fixedText } from "../fixed-text.ts";
import { fromJsonText } from "../json-rows.ts";
import { scopeRow } from "./inbox-columns.ts";
import { budgetAlerts, budgetStops } from "./inbox-of-budgets.ts";
import { disabledSubscriptions } from "./inbox-of-events.ts";
import { assignedIssues, watchedIssues } from "./inbox-of-person.ts";
import { pendingApprovals, pendingInteractions } from "./inbox-of-requests.ts";
import { missedTicks } from "./inbox-of-routines.ts";
import {
  agentsInError,
  failedRuns,
  heldRuns,
  issuesOfTerminated,
  lastFailures,
  stalledIssues,
} from "./inbox-of-runs.ts";
import { unhealthyVaults } from "./inbox-of-vaults.ts";
import { stuckWork } from "./inbox-of-work.ts";

export const inboxViews = (database: Database): InboxViews => ({
  list: (scope, filter, page) =>
    Effect.gen(function* () {
      const { items, next } = yield* readPage(
        database,
        {
          kind: "inbox",
          of: { userId: scope.userId, rights: JSON.stringify(scope.rights), ...filter },
          anyPlan: true,
        },
        byAge,
        page,
        listEntries(scope, filter),
      );
      if (items.length === 0) return { items: [], next };
      const [row] = yield* database.read(statesOf(items));
      const states = new Map(readStates(row!.states).map((state) => [state.id, state]));
      return { items: items.map((entry) => ({ ...entry, state: states.get(entry.id) ?? null })), next };
    }),
  counts: (scope) => database.read(countEntries(scope)),
  find: (scope, entryId) => database.first(findEntry(scope, entryId)),
});

const listEntries =
  (scope: InboxScope, { kinds, dismissed = false }: InboxFilter) =>
  (after: readonly [since: string, id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<ListedEntry[]>`
  ${waiting(scope, sql)}
  select    entry.*
  from      entry
  where     ${dismissed ? sql`` : sql`not`} ${isDismissed(sql)}
  ${kinds === undefined ? sql`` : sql`and entry.kind = any(${[...kinds]}::text[])`}
  ${after === null ? sql`` : sql`and (entry.waiting_since, entry.id) > (${after[0]}, ${after[1]})`}
  order by  entry.waiting_since, entry.id
  limit     ${limit}
`;

type ListedEntry = Omit<InboxFact, "state">;

/**
 * The facts on which the actions on listed entries depend. Read by a statement of its own, for the entries of the page
 * alone.
 */
const statesOf = (entries: readonly ListedEntry[]) => (sql: Sql) =>
  sql<{ states: string }[]>`
  select    coalesce(json_agg(
              json_build_object(
                'id', asked.id,
                'company', json_build_object('status', company.status, 'heldByBudgetAt', company.held_by_budget_at),
                'agent', case when agent.id is not null then
                  json_build_object(
                    'id', agent.id, 'lifecycleState', agent.lifecycle_state, 'heldManuallyAt', agent.held_manually_at,
                    'heldByBudgetAt', agent.held_by_budget_at, 'runtimeConfig', agent.runtime_config,
                    'companyHeldByBudgetAt', company.held_by_budget_at
                  )
                end,
                'issue', case when issue.id is not null then
                  json_build_object('status', issue.status, 'assigneeAgentId', issue.assignee_agent_id)
                end,
                'hasGates', issue.status = ${"in_review" satisfies IssueStatus} and ${hasGates(sql, sql`issue`)},
                'projectHeldByBudgetAt', (select held_by_budget_at from projects where id = issue.project_id),
                'run', case when run.id is not null then
                  json_build_object('status', run.status, 'wakeReason', run.wake_reason, 'context', run.context)
                end,
                'routine', case when routine.id is not null then
                  json_build_object(
                    'assigneeAgentId', routine.assignee_agent_id, 'status', routine.status,
                    'isProjectArchived', (select archived_at is not null from projects where id = routine.project_id)
                  )
                end
              )
            ), '[]') as states
  from      unnest(
              ${entries.map(({ id }) => id)}::text[],
              ${entries.map(({ companyId }) => companyId)}::uuid[],
              ${entries.map(({ agentId }) => agentId)}::uuid[],
              ${entries.map(({ issueId }) => issueId)}::uuid[],
              ${idsOf(entries, "run")}::uuid[],
              ${idsOf(entries, "routine")}::uuid[]
            ) as asked (id, company_id, agent_id, issue_id, run_id, routine_id)
  -- Each by its key: a plan for many values reads whole tables.
  cross join lateral (select * from companies where id = asked.company_id offset 0) as company
  left join lateral (select * from agents where id = asked.agent_id offset 0) as agent on true
  left join lateral (select * from issues where id = asked.issue_id offset 0) as issue on true
  left join lateral (select * from runs where id = asked.run_id offset 0) as run on true
  left join lateral (select * from routines where id = asked.routine_id offset 0) as routine on true
`;

/** The ids of the subjects of a type; null in the place of each other entry. */
const idsOf = (entries: readonly ListedEntry[], type: InboxSubject) =>
  entries.map(({ subjectType, subjectId }) => (subjectType === type ? subjectId : null));

/** One text for all entries: a value for each fact of each entry takes longer to read than the list. */
const readStates = fromJsonText<readonly (InboxState & { readonly id: string })[]>({
  company: { heldByBudgetAt: true },
  agent: { heldManuallyAt: true, heldByBudgetAt: true, companyHeldByBudgetAt: true },
  projectHeldByBudgetAt: true,
});

const countEntries = (scope: InboxScope) => (sql: Sql) =>
  sql<InboxCount[]>`
  ${waiting(scope, sql)}
  select    company_id, count(*)::int as waiting,
            (count(*) filter (where kind = any(${newsKinds}::text[])))::int as news
  from      entry
  where     not ${isDismissed(sql)}
  group by  company_id
  order by  company_id
`;

const findEntry = (scope: InboxScope, entryId: string) => (sql: Sql) =>
  sql<Pick<InboxFact, "kind" | "version">[]>`
  ${waiting(scope, sql)}
  select  entry.kind, entry.version
  from    entry
  where   entry.id = ${entryId}
`;

const isDismissed = fixedText(
  (sql) => sql`
  exists (
    select
    from    inbox_dismissals aside
    where   aside.user_id = (select user_id from scope)
    and     aside.entry_id = entry.id
    and     aside.version = entry.version
  )
`,
);

/** The rights of the scope as rows of company and right. Archived companies have none. */
const rightRows = ({ rights }: InboxScope, sql: Sql) =>
  "everywhere" in rights
    ? sql`
        select      companies.id as company_id, companies.name as company_name, companies.status as company_status,
               companies.held_by_budget_at as company_held_by_budget_at, given.name
        from        companies
        cross join  unnest(${[...rights.everywhere]}::text[]) as given (name)
        where       companies.status <> 'archived'
      `
    : sql`
        select  companies.id as company_id, companies.name as company_name, companies.status as company_status,
               companies.held_by_budget_at as company_held_by_budget_at, given.name
        from    unnest(
                  ${rights.in.map(({ companyId }) => companyId)}::uuid[],
                  ${rights.in.map(({ right }) => right)}::text[]
                ) as given (company_id, name)
        join    companies on companies.id = given.company_id
        where   companies.status <> 'archived'
      `;

/** Every entry that the rights of the scope allow, as the table expression `entry`. */
const waiting = (scope: InboxScope, sql: Sql) => sql`
  with scope as materialized (${scopeRow(scope, sql)}),
  r as materialized (${rightRows(scope, sql)}),
  ${entries(sql)}
`;

const entries = fixedText(
  (sql) => sql`
  failed as materialized (${lastFailures(sql)}),
  entry as (
    ${pendingApprovals(sql)}
    union all
    ${pendingInteractions(sql)}
    union all
    ${assignedIssues(sql)}
    union all
    ${watchedIssues(sql)}
    union all
    ${budgetStops("agent", sql)}
    union all
    ${budgetStops("project", sql)}
    union all
    ${budgetStops("company", sql)}
    union all
    ${budgetAlerts("agent", sql)}
    union all
    ${budgetAlerts("project", sql)}
    union all
    ${budgetAlerts("company", sql)}
    union all
    ${failedRuns(sql)}
    union all
    ${agentsInError(sql)}
    union all
    ${heldRuns(sql)}
    union all
    ${stalledIssues(sql)}
    union all
    ${stuckWork(sql)}
    union all
    ${issuesOfTerminated(sql)}
    union all
    ${missedTicks(sql)}
    union all
    ${unhealthyVaults(sql)}
    union all
    ${disabledSubscriptions(sql)}
  )
`,
);
