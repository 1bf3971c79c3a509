import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type CostEvent, CostEventNotFound } from "../../../core/model/costs/cost-event.ts";
import { afterFold, daysOf, isMonth, type Period } from "../../../core/model/costs/period.ts";
import type { AgentId, CompanyId, CostEventId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  AccountWindow,
  AgentCosts,
  AgentDayCosts,
  CompanyCosts,
  CostFilter,
  CostViews,
  DayCosts,
  IssueCosts,
  ProjectCosts,
  ProviderCosts,
} from "../../../ports/views/cost-views.ts";
import { costEventColumns } from "../columns.ts";
import { byOccurrence, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { folded } from "../folded.ts";
import { inPeriod, issuesOf, runsOf, sumsOf, totalled, totals } from "./cost-sums.ts";

export const costViews = (database: Database): CostViews => ({
  spent: (companyId, period) =>
    known(database, companyId, period, (known) => database.first(companySpend(companyId, known))).pipe(
      Effect.map((row) => row ?? nothing),
    ),
  total: (companyId, period) =>
    known(database, companyId, period, (known) => database.first(companyCosts(companyId, known))).pipe(
      Effect.map((row) => row ?? nothing),
    ),
  byAgent: (companyId, period) =>
    known(database, companyId, period, (known) => database.read(costsByAgent(companyId, known))),
  byProject: (companyId, period) =>
    known(database, companyId, period, (known) => database.read(costsByProject(companyId, known))),
  byProvider: (companyId, period) =>
    known(database, companyId, period, (known) => database.read(costsByProvider(companyId, known))),
  byIssue: (companyId, period, count) =>
    known(database, companyId, period, (known) => database.read(costsByIssue(companyId, known, count))),
  byDay: (companyId, period, agentId) =>
    known(database, companyId, period, (known) => database.read(costsByDay(companyId, known, agentId))),
  byAgentAndDay: (companyId, period) =>
    known(database, companyId, period, (known) => database.read(costsByAgentAndDay(companyId, known))),
  usageWindows: (companyId, at) => database.read(usageWindows(companyId, at)),
  events: ({ period, ...filter }, page) =>
    readPage(
      database,
      { kind: "costs", of: { ...filter, ...period } },
      byOccurrence,
      page,
      listCostEvents({ period, ...filter }),
    ),
  event: (id) =>
    database
      .first(costEvent(id))
      .pipe(
        Effect.flatMap((row) => (row === null ? Effect.fail(new CostEventNotFound()) : Effect.succeed(row))),
      ),
});

/** Reads a report whose figures are exact, also where events are folded while it is read. */
const known = <A>(
  database: Database,
  companyId: CompanyId,
  period: Period,
  read: (period: Period) => Effect.Effect<A>,
): Effect.Effect<A> => {
  // Whole days are in the sums that are kept.
  if (daysOf(period).ends.length === 0) return read(period);
  const foldedBefore = () => database.first(foldOf(companyId)).pipe(Effect.map((row) => row?.before ?? null));
  const attempt = (before: Instant | null): Effect.Effect<A> =>
    Effect.gen(function* () {
      const found = yield* read(afterFold(period, before));
      const after = yield* foldedBefore();
      return after === before ? found : yield* attempt(after);
    });
  return Effect.flatMap(foldedBefore(), attempt);
};

const foldOf = (companyId: CompanyId) => (sql: Sql) =>
  sql<{ before: Instant }[]>`select before from cost_folds where company_id = ${companyId}`;

const usageWindows = (companyId: CompanyId, at: Instant) => (sql: Sql) =>
  sql<AccountWindow[]>`
  select    usage.adapter_type, own.agent_ids, usage.name, usage.status, usage.used_percent, usage.window_minutes,
            usage.resets_at, usage.reported_at, hold.not_before as held_until
  from      (
              select    adapter_type, account, array_agg(id order by id) as agent_ids
              from      agents
              where     company_id = ${companyId}
              and       lifecycle_state <> 'terminated'
              group by  adapter_type, account
            ) own
  join      usage_windows usage on usage.adapter_type = own.adapter_type
                               and usage.account_key = own.account
  left join account_holds hold on hold.adapter_type = own.adapter_type
                              and hold.account_key = own.account
                              and hold.not_before > ${at}
  order by  usage.adapter_type collate "C", usage.account_key collate "C", usage.name collate "C"
`;

const nothing: CompanyCosts = {
  budgetCents: 0,
  costCents: 0,
  pricedCents: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  eventCount: 0,
  unknownEventCount: 0,
  unknownTokens: 0,
};

const shownCostEvent = (sql: Sql) => sql`${costEventColumns(sql)}, floor(cost_cents) as cost_cents`;

const companySpend = (companyId: CompanyId, period: Period) => (sql: Sql) =>
  sql<Pick<CompanyCosts, "costCents" | "unknownEventCount">[]>`
  select  floor(coalesce(sum(e.cost_cents), 0))      as cost_cents,
          coalesce(sum(e.unknown_event_count), 0)    as unknown_event_count
  from    (${sumsOf(sql, "company", companyId, period)}) as e
`;

const companyCosts = (companyId: CompanyId, period: Period) => (sql: Sql) =>
  sql<CompanyCosts[]>`
  select    c.budget_monthly_cents as budget_cents, ${totals(sql)}
  from      companies c
  left join (${sumsOf(sql, "company", companyId, period)}) as e on true
  where     c.id = ${companyId}
  group by  c.id
`;

/** Both sums are of the same agents, in one grouping: a join of the two would be planned as if each had one row. */
const costsByAgent = (companyId: CompanyId, period: Period) => (sql: Sql) =>
  sql<AgentCosts[]>`
  select    a.name as agent_name, a.budget_monthly_cents, spent.*
  from      (
              select    e.agent_id, sum(e.runs) as run_count, ${totals(sql)}
              from      (
                          select  agent_id, 0::bigint as runs, ${totalled(sql)}
                          from    (${sumsOf(sql, "agent", companyId, period)}) as kept
                          union all
                          select  agent_id, runs, 0, 0, 0, 0, 0, 0, 0, 0
                          from    (${runsOf(sql, companyId, period)}) as ran
                        ) as e
              group by  e.agent_id
            ) as spent
  join      agents a on a.id = spent.agent_id
  order by  cost_cents desc, ${folded(sql, "a.name")}, a.id
`;

const costsByProject = (companyId: CompanyId, period: Period) => (sql: Sql) =>
  sql<ProjectCosts[]>`
  select    p.name as project_name, p.budget_monthly_cents, spent.*
  from      (
              select    e.project_id, ${totals(sql)}
              from      (${sumsOf(sql, "project", companyId, period)}) as e
              group by  e.project_id
            ) as spent
  left join projects p on p.id = spent.project_id
  order by  cost_cents desc, ${folded(sql, "p.name")}, p.id
`;

/** A model may have only sums of events that were replaced by those of another. */
const costsByProvider = (companyId: CompanyId, period: Period) => (sql: Sql) =>
  sql<ProviderCosts[]>`
  select    e.provider, e.model, e.billing_type, ${totals(sql)}
  from      (${sumsOf(sql, "model", companyId, period)}) as e
  group by  e.provider, e.model, e.billing_type
  having    sum(e.event_count) > 0
  order by  cost_cents desc, e.provider collate "C", e.model collate "C", e.billing_type
`;

const costsByIssue = (companyId: CompanyId, period: Period, count: number) => (sql: Sql) =>
  sql<IssueCosts[]>`
  select    i.identifier as issue_identifier, i.title as issue_title, spent.*
  from      (${isMonth(period) ? dearestOfMonth(sql, companyId, period, count) : dearestOf(sql, companyId, period, count)}) as spent
  left join issues i on i.id = spent.issue_id
  order by  cost_cents desc, spent.issue_id
`;

/** The order is the index's, so that only the rows that are shown are read. */
const dearestOfMonth = (sql: Sql, companyId: CompanyId, { from }: Period, count: number) => sql`
  select    e.issue_id, e.run_count, floor(e.cost_cents) as cost_cents, floor(e.priced_cents) as priced_cents,
            e.input_tokens, e.cached_input_tokens, e.output_tokens, e.event_count, e.unknown_event_count,
            e.unknown_tokens
  from      cost_issue_months e
  where     e.company_id = ${companyId}
  and       e.month = ${from}::date
  order by  floor(e.cost_cents) desc, e.issue_id
  limit     ${count}
`;

/** Of another period than a month: adds up its events, and the sums of those that are folded. */
const dearestOf = (sql: Sql, companyId: CompanyId, period: Period, count: number) => sql`
  select    e.issue_id, count(distinct e.run_id) + sum(e.folded_runs) as run_count, ${totals(sql)}
  from      (${issuesOf(sql, companyId, period)}) as e
  group by  e.issue_id
  order by  cost_cents desc, e.issue_id
  limit     ${count}
`;

const costsByDay = (companyId: CompanyId, period: Period, agentId: AgentId | undefined) => (sql: Sql) =>
  sql<DayCosts[]>`
  select    to_char(each.day at time zone 'UTC', 'YYYY-MM-DD') as day, ${totals(sql)}
  from      generate_series(
              date_trunc('day', ${period.from}::timestamptz, 'UTC'),
              least(${period.to}::timestamptz, now()),
              interval '1 day'
            ) as each (day)
  left join (
              ${sumsOf(sql, agentId === undefined ? "company" : "agent", companyId, period, agentId)}
            ) as e on e.day = (each.day at time zone 'UTC')::date
  where     each.day < ${period.to}::timestamptz
  group by  each.day
  order by  each.day
`;

const costsByAgentAndDay = (companyId: CompanyId, period: Period) => (sql: Sql) =>
  sql<AgentDayCosts[]>`
  select    a.name as agent_name, spent.*
  from      (
              select    e.agent_id, to_char(e.day, 'YYYY-MM-DD') as day, ${totals(sql)}
              from      (${sumsOf(sql, "agent", companyId, period)}) as e
              group by  e.agent_id, e.day
              having    sum(e.event_count) > 0
            ) as spent
  join      agents a on a.id = spent.agent_id and a.company_id = ${companyId}
  order by  spent.day, cost_cents desc, a.id
`;

const listCostEvents =
  (filter: CostFilter) =>
  (after: readonly [occurredAt: Instant, id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<CostEvent[]>`
  select    ${shownCostEvent(sql)}
  from      cost_events e
  where     ${inPeriod(sql, filter.companyId, filter.period)}
  ${filter.agentId === undefined ? sql`` : sql`and agent_id = ${filter.agentId}`}
  ${after === null ? sql`` : sql`and (occurred_at, id) < (${after[0]}, ${after[1]})`}
  order by  occurred_at desc, id desc
  limit     ${limit}
`;

const costEvent = (id: CostEventId) => (sql: Sql) =>
  sql<CostEvent[]>`
  select  ${shownCostEvent(sql)}
  from    cost_events
  where   id = ${id}
`;
