import type { ISql } from "postgres";

/** Fill the sums from the events. */
const fills = [
  `
    insert into cost_days (
      company_id, scope, day, agent_id, project_id, provider, model, billing_type, model_hash, cost_cents, priced_cents,
      input_tokens, cached_input_tokens, output_tokens, event_count, unknown_event_count, unknown_tokens
    )
    select    company_id,
              case
                when grouping(agent_id) = 0 then 'agent' when grouping(project_id) = 0 then 'project'
                when grouping(model) = 0 then 'model' else 'company'
              end,
              day, agent_id, project_id, provider, model, billing_type,
              case
                when grouping(model) = 0
                then sha256(convert_to(jsonb_build_array(provider, model, billing_type)::text, 'UTF8'))
              end,
              sum(cost_cents), coalesce(sum(cost_cents) filter (where cost_status = 'priced'), 0), sum(input_tokens),
              sum(cached_input_tokens), sum(output_tokens), count(*), count(*) filter (where cost_status = 'unknown'),
              coalesce(sum(input_tokens + cached_input_tokens + output_tokens) filter (where cost_status = 'unknown'), 0)
    from      (select *, (occurred_at at time zone 'UTC')::date as day from cost_events) as event
    group by  grouping sets (
                (company_id, day), (company_id, day, agent_id), (company_id, day, project_id),
                (company_id, day, provider, model, billing_type)
              )
  `,
  `
    insert into cost_run_days (company_id, agent_id, day, previous_day, runs)
    select    company_id, agent_id, day, previous_day, count(*)
    from      (
                select    company_id, agent_id, day,
                          lag(day, 1, '-infinity') over (partition by agent_id, run_id order by day) as previous_day
                from      (
                            select  distinct company_id, agent_id, run_id, (occurred_at at time zone 'UTC')::date as day
                            from    cost_events
                            where   run_id is not null
                          ) as run_day
              ) as found
    group by  company_id, agent_id, day, previous_day
  `,
  `
    insert into cost_issue_months (
      company_id, month, issue_id, cost_cents, priced_cents, input_tokens, cached_input_tokens, output_tokens, event_count,
      unknown_event_count, unknown_tokens, run_count
    )
    select    company_id, month, issue_id, sum(cost_cents),
              coalesce(sum(cost_cents) filter (where cost_status = 'priced'), 0), sum(input_tokens),
              sum(cached_input_tokens), sum(output_tokens), count(*), count(*) filter (where cost_status = 'unknown'),
              coalesce(sum(input_tokens + cached_input_tokens + output_tokens) filter (where cost_status = 'unknown'), 0),
              count(distinct run_id)
    from      (select *, date_trunc('month', occurred_at at time zone 'UTC')::date as month from cost_events) as event
    group by  company_id, month, issue_id
  `,
];

const tables = ["cost_days", "cost_run_days", "cost_issue_months"] as const;

/** Sums anew all cost events: for events that were made by SQL. */
export const sumCosts = async (sql: ISql): Promise<void> => {
  for (const table of tables) await sql`delete from ${sql(table)}`;
  for (const fill of fills) await sql.unsafe(fill);
};

/** The sums as they are kept, without those that came to nothing. */
export const storedSums = async (sql: ISql): Promise<readonly (readonly object[])[]> => [
  await sql`select * from cost_days where event_count <> 0 order by company_id, scope, day, agent_id, project_id, model_hash`,
  await sql`select * from cost_run_days where runs <> 0 order by company_id, agent_id, day, previous_day`,
  await sql`select * from cost_issue_months order by company_id, month, issue_id`,
];
