-- Sums of cost events, so that reports need not add up the events. The transaction that records costs keeps them, after it
-- has locked the company, so that its rows are locked last and by nobody else.

-- The sums of a day (UTC): of the company, and of each agent, project and model. What a scope does not distinguish is null.
create table cost_days (
  company_id           uuid not null references companies,
  scope                text not null check (scope in ('company', 'agent', 'project', 'model')),
  day                  date not null,
  agent_id             uuid,
  project_id           uuid,
  provider             text,
  model                text,
  billing_type         text,
  -- stands for these three names, which are too long for an index
  model_hash           bytea,
  cost_cents           numeric(30, 6) not null,
  priced_cents         numeric(30, 6) not null,
  -- tokens of a day may be more than a bigint holds
  input_tokens         numeric(30) not null,
  cached_input_tokens  numeric(30) not null,
  output_tokens        numeric(30) not null,
  event_count          bigint not null,
  unknown_event_count  bigint not null,
  unknown_tokens       numeric(30) not null,
  constraint cost_days_key unique nulls not distinct (company_id, scope, day, agent_id, project_id, model_hash)
) with (fillfactor = 70);
create index cost_days_by_agent on cost_days (agent_id, day) where agent_id is not null;

-- How many runs of an agent cost something on a day, by the day before it on which they did; -infinity: on none. The runs of
-- a period are those of its days whose previous day lies before it: each run counts once.
create table cost_run_days (
  company_id    uuid not null references companies,
  agent_id      uuid not null,
  day           date not null,
  previous_day  date not null,
  runs          bigint not null,
  primary key (company_id, day, previous_day, agent_id)
) with (fillfactor = 70);

-- The sums of an issue in a calendar month (UTC), in the order in which they are shown; of costs without an issue, null.
create table cost_issue_months (
  company_id           uuid not null references companies,
  month                date not null,
  issue_id             uuid,
  cost_cents           numeric(30, 6) not null,
  priced_cents         numeric(30, 6) not null,
  input_tokens         numeric(30) not null,
  cached_input_tokens  numeric(30) not null,
  output_tokens        numeric(30) not null,
  event_count          bigint not null,
  unknown_event_count  bigint not null,
  unknown_tokens       numeric(30) not null,
  run_count            bigint not null,
  constraint cost_issue_months_key unique nulls not distinct (company_id, month, issue_id)
);
create index cost_issue_months_in_order on cost_issue_months (company_id, month, floor(cost_cents) desc, issue_id);

-- Says on which days a run cost something.
drop index cost_events_by_run;
create index cost_events_by_run on cost_events (run_id, occurred_at) include (cost_cents) where run_id is not null;

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
          );

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
group by  company_id, agent_id, day, previous_day;

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
group by  company_id, month, issue_id;
