import type { Sql } from "postgres";
import type { CostEvent, NewCost } from "../../../core/model/costs/cost-event.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import { json } from "../rows.ts";

/** Amounts that stored costs add to the sums: the events as they are stored, less those that they replace. */
const changes = (sql: Sql, costs: readonly NewCost[]) => {
  const replaced = costs.flatMap(({ replaces }) => replaces ?? []);
  const fresh = costs.filter(({ replaces }) => replaces === null).map(({ event }) => event.id);
  return sql`
    select  id, agent_id, project_id, issue_id, run_id, provider, model, billing_type, cost_status, cost_cents,
            input_tokens::numeric, cached_input_tokens::numeric, output_tokens::numeric, occurred_at,
            (occurred_at at time zone 'UTC')::date as day, 1 as sign, id = any (${fresh}::uuid[]) as is_new
    from    cost_events
    where   id = any (${costs.map(({ event }) => event.id)}::uuid[])
    ${replaced.length === 0 ? sql`` : sql`union all ${less(sql, replaced)}`}
  `;
};

const less = (sql: Sql, replaced: readonly CostEvent[]) => sql`
  select  id, "agentId", "projectId", "issueId", "runId", provider, model, "billingType", "costStatus", -"costCents",
          -"inputTokens", -"cachedInputTokens", -"outputTokens", "occurredAt", ("occurredAt" at time zone 'UTC')::date,
          -1, false
  from    jsonb_to_recordset(${json(sql, replaced)}) as replaced (
            id uuid, "agentId" uuid, "projectId" uuid, "issueId" uuid, "runId" uuid, provider text, model text,
            "billingType" text, "costStatus" text, "costCents" numeric(30, 6), "inputTokens" numeric,
            "cachedInputTokens" numeric, "outputTokens" numeric, "occurredAt" timestamptz
          )
`;

/** Of rows with a sign. */
export const sums = (sql: Sql) => sql`
  sum(cost_cents), coalesce(sum(cost_cents) filter (where cost_status = 'priced'), 0), sum(input_tokens),
  sum(cached_input_tokens), sum(output_tokens), sum(sign),
  coalesce(sum(sign) filter (where cost_status = 'unknown'), 0),
  coalesce(sum(input_tokens + cached_input_tokens + output_tokens) filter (where cost_status = 'unknown'), 0)
`;

export const sumColumns = (sql: Sql) => sql`
  cost_cents, priced_cents, input_tokens, cached_input_tokens, output_tokens, event_count, unknown_event_count,
  unknown_tokens
`;

/** Adds the row that is already there, of the table `kept`. */
export const addKept = (sql: Sql) => sql`
  cost_cents          = kept.cost_cents + excluded.cost_cents,
  priced_cents        = kept.priced_cents + excluded.priced_cents,
  input_tokens        = kept.input_tokens + excluded.input_tokens,
  cached_input_tokens = kept.cached_input_tokens + excluded.cached_input_tokens,
  output_tokens       = kept.output_tokens + excluded.output_tokens,
  event_count         = kept.event_count + excluded.event_count,
  unknown_event_count = kept.unknown_event_count + excluded.unknown_event_count,
  unknown_tokens      = kept.unknown_tokens + excluded.unknown_tokens
`;

export const addToDays = (companyId: CompanyId, costs: readonly NewCost[]) => (sql: Sql) =>
  sql`
  insert into cost_days as kept (
    company_id, scope, day, agent_id, project_id, provider, model, billing_type, model_hash, ${sumColumns(sql)}
  )
  select    ${companyId},
            case
              when grouping(agent_id) = 0 then 'agent' when grouping(project_id) = 0 then 'project'
              when grouping(model) = 0 then 'model' else 'company'
            end,
            day, agent_id, project_id, provider, model, billing_type,
            case
              when grouping(model) = 0
              then sha256(convert_to(jsonb_build_array(provider, model, billing_type)::text, 'UTF8'))
            end,
            ${sums(sql)}
  from      (${changes(sql, costs)}) as change
  group by  grouping sets ((day), (day, agent_id), (day, project_id), (day, provider, model, billing_type))
  on conflict on constraint cost_days_key do update set ${addKept(sql)}
`;

/**
 * A run counts once in a month of an issue: with the first of its events there. The events are stored already, so those
 * before these are the others.
 */
export const addToIssueMonths = (companyId: CompanyId, costs: readonly NewCost[]) => (sql: Sql) =>
  sql`
  with
    change as (
      select *, date_trunc('month', occurred_at, 'UTC') as month from (${changes(sql, costs)}) as each
    )
  insert into cost_issue_months as kept (company_id, month, issue_id, ${sumColumns(sql)}, run_count)
  select    ${companyId}, (month at time zone 'UTC')::date, issue_id, ${sums(sql)},
            count(distinct run_id) filter (
              where is_new and not exists (
                select
                from    cost_events earlier
                where   earlier.run_id = change.run_id
                and     earlier.occurred_at >= month
                and     date_trunc('month', earlier.occurred_at, 'UTC') = month
                and     earlier.issue_id is not distinct from change.issue_id
                and     earlier.id <> all (array(select id from change where is_new))
              )
            )
  from      change
  group by  month, issue_id
  on conflict on constraint cost_issue_months_key do update
  set       ${addKept(sql)}, run_count = kept.run_count + excluded.run_count
`;

/**
 * Counts the runs that cost something on a day for the first time, and counts anew the days of these runs that follow.
 * The events are stored already.
 */
export const addToRunDays = (companyId: CompanyId, costs: readonly NewCost[]) => (sql: Sql) =>
  sql`
  with
    change as materialized (
      select  id, agent_id, run_id, date_trunc('day', occurred_at, 'UTC') as midnight
      from    (${changes(sql, costs)}) as each
      where   is_new
      and     run_id is not null
    ),
    run as (
      select  distinct agent_id, run_id
      from    change
      where   not exists (
                select
                from    cost_events earlier
                where   earlier.run_id = change.run_id
                and     earlier.occurred_at >= midnight
                and     earlier.occurred_at < midnight + interval '24 hours'
                and     earlier.id <> all (array(select id from change))
              )
    ),
    run_day as (
      select    run.agent_id, run.run_id, (event.occurred_at at time zone 'UTC')::date as day,
                bool_or(event.id <> all (array(select id from change))) as was_known
      from      run
      join      cost_events event on event.run_id = run.run_id
      group by  run.agent_id, run.run_id, day
    ),
    count as (
      select  agent_id, day, lag(day, 1, '-infinity') over (partition by run_id order by day) as previous_day, 1 as runs
      from    run_day
      union all
      select  agent_id, day, lag(day, 1, '-infinity') over (partition by run_id order by day), -1
      from    run_day
      where   was_known
    )
  insert into cost_run_days as kept (company_id, agent_id, day, previous_day, runs)
  select    ${companyId}, agent_id, day, previous_day, sum(runs)
  from      count
  group by  agent_id, day, previous_day
  having    sum(runs) <> 0
  on conflict (company_id, day, previous_day, agent_id) do update set runs = kept.runs + excluded.runs
`;
