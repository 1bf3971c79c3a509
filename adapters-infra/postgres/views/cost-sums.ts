import type { Sql } from "postgres";
import { daysOf, type Period } from "../../../core/model/costs/period.ts";
import type { AgentId, CompanyId } from "../../../core/model/shared/ids.ts";

/** A `CostTotals` of the rows `e` of `sumsOf` or `eventsOf`; zeros without rows. Sums exactly and rounds down once. */
export const totals = (sql: Sql) => sql`
  floor(coalesce(sum(e.cost_cents), 0))    as cost_cents,
  floor(coalesce(sum(e.priced_cents), 0))  as priced_cents,
  coalesce(sum(e.input_tokens), 0)         as input_tokens,
  coalesce(sum(e.cached_input_tokens), 0)  as cached_input_tokens,
  coalesce(sum(e.output_tokens), 0)        as output_tokens,
  coalesce(sum(e.event_count), 0)          as event_count,
  coalesce(sum(e.unknown_event_count), 0)  as unknown_event_count,
  coalesce(sum(e.unknown_tokens), 0)       as unknown_tokens
`;

/** The columns that `totals` adds up. */
export const totalled = (sql: Sql) => sql`
  cost_cents, priced_cents, input_tokens, cached_input_tokens, output_tokens, event_count, unknown_event_count,
  unknown_tokens
`;

/** Of `cost_events e`. */
export const inPeriod = (sql: Sql, companyId: CompanyId, { from, to }: Period) => sql`
      e.company_id = ${companyId}
  and e.occurred_at >= ${from}
  and e.occurred_at < ${to}
`;

/** The columns of `sumsOf` before the sums. */
const dimensions = (sql: Sql) => sql`agent_id, project_id, provider, model, billing_type`;

/** Each event of a period as the sum of itself. */
export const eventsOf = (sql: Sql, companyId: CompanyId, period: Period) => sql`
  select  (occurred_at at time zone 'UTC')::date as day, ${dimensions(sql)}, cost_cents,
          case when cost_status = 'priced' then cost_cents else 0 end as priced_cents,
          input_tokens::numeric as input_tokens, cached_input_tokens::numeric as cached_input_tokens,
          output_tokens::numeric as output_tokens, 1::bigint as event_count,
          case when cost_status = 'unknown' then 1 else 0 end::bigint as unknown_event_count,
          case
            when cost_status = 'unknown' then input_tokens::numeric + cached_input_tokens + output_tokens else 0
          end as unknown_tokens,
          issue_id, run_id
  from    cost_events e
  where   ${inPeriod(sql, companyId, period)}
`;

/** Each event of a period as the sum of itself, and the sums of issues on days whose events are folded. */
export const issuesOf = (sql: Sql, companyId: CompanyId, period: Period): Fragment => {
  const events = sql`
    select issue_id, run_id, 0::bigint as folded_runs, ${totalled(sql)} from (${eventsOf(sql, companyId, period)}) as event
  `;
  const { days } = daysOf(period);
  if (days === null) return events;
  const folded = sql`
    select  issue_id, null, case when previous_day < ${days.from}::date then run_count else 0 end, ${totalled(sql)}
    from    cost_issue_days
    where   company_id = ${companyId}
    and     ${inDays(sql, days)}
  `;
  return sql`${events} union all ${folded}`;
};

const daySums = (sql: Sql, scope: Scope, companyId: CompanyId, days: Period) => sql`
  select  day, ${dimensions(sql)}, ${totalled(sql)}, null::uuid as issue_id, null::uuid as run_id
  from    cost_days e
  where   company_id = ${companyId}
  and     scope = ${scope}
  and     ${inDays(sql, days)}
`;

const inDays = (sql: Sql, { from, to }: Period) => sql`day >= ${from}::date and day < ${to}::date`;

/** The subjects of kept sums: the whole company, or each of its agents, projects or models. */
export type Scope = "company" | "agent" | "project" | "model";

const allOf = (sql: Sql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((one, other) => sql`${one} union all ${other}`);

type Fragment = ReturnType<typeof totals>;

/**
 * Sums that add up to those of a period: the kept ones of its whole days, and the events of the parts of days at its
 * ends. Of one agent, where one is given with the scope of agents.
 */
export const sumsOf = (
  sql: Sql,
  scope: Scope,
  companyId: CompanyId,
  period: Period,
  agentId?: AgentId,
): Fragment => {
  const { days, ends } = daysOf(period);
  const parts = ends.map((end) => eventsOf(sql, companyId, end));
  if (days !== null) parts.push(daySums(sql, scope, companyId, days));
  const ofAgent = agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`;
  return allOf(
    sql,
    parts.map((part) => sql`${part} ${ofAgent}`),
  );
};

/**
 * Numbers of runs of agents that add up to those of a period, where each run that cost something counts once: with the
 * first of its whole days, or, where it has none, for the parts of days at the ends.
 */
export const runsOf = (sql: Sql, companyId: CompanyId, period: Period): Fragment => {
  const { days, ends } = daysOf(period);
  const ofDays = (of: Period) => sql`
    select  agent_id, runs
    from    cost_run_days
    where   company_id = ${companyId}
    and     ${inDays(sql, of)}
    and     previous_day < ${of.from}::date
  `;
  const isOfNone = ({ from, to }: Period) => sql`
    and not exists (
      select
      from    cost_events counted
      where   counted.run_id = e.run_id
      and     counted.occurred_at >= ${from}
      and     counted.occurred_at < ${to}
    )
  `;
  const ofEnds = () => sql`
    select    e.agent_id, count(distinct e.run_id) as runs
    from      (${allOf(
      sql,
      ends.map((end) => eventsOf(sql, companyId, end)),
    )}) as e
    where     e.run_id is not null ${days === null ? sql`` : isOfNone(days)}
    group by  e.agent_id
  `;
  return allOf(sql, [...(days === null ? [] : [ofDays(days)]), ...(ends.length === 0 ? [] : [ofEnds()])]);
};
