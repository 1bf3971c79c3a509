-- What the loop breaker needs about work that agents make for themselves: whether only agents caused a run lately, and
-- when a timer, a webhook or a schedule last stood among its causes. A run takes both from the wake that founds it.
alter table companies add column agent_caused_run_limit integer not null default 30;
alter table wakes
  add column caused_by_agents boolean not null default false,
  add column triggered_at timestamptz(3);
alter table runs
  add column caused_by_agents boolean not null default false,
  add column triggered_at timestamptz(3),
  add column held_for text check (held_for in ('loop', 'agents'));
update runs set held_for = 'loop' where held_since is not null;
create index runs_caused_by_agents on runs (agent_id, started_at) where caused_by_agents and started_at is not null;

drop function queued_run_for;

-- As before (migration 001), with these two facts.
create function queued_run_for(
  wake_company    uuid,
  wake_agent      uuid,
  wake_issue      uuid,
  fresh_run       uuid,
  adapter         text,
  reason          text,
  source          text,
  payload         jsonb,
  retry_of        uuid,
  by_agents       boolean,
  last_triggered  timestamptz,
  at              timestamptz
) returns uuid language plpgsql as $$
declare
  live record;
begin
  loop
    select id, status
    into   live
    from   runs
    where  agent_id = wake_agent
    and    issue_id is not distinct from wake_issue
    and    status in ('queued', 'running')
    for    share;
    if found and live.status = 'running' then
      return null;
    elsif found then
      -- A claim skips a locked run: tell it to look again.
      perform pg_notify('boardroom_work', '');
      return live.id;
    end if;

    insert into runs (
      id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source,
      context, retry_of_run_id, caused_by_agents, triggered_at, created_at, updated_at
    )
    values (
      fresh_run, wake_company, wake_agent, wake_issue, adapter, 'queued', reason, source,
      payload, retry_of, by_agents, last_triggered, at, at
    )
    on conflict (agent_id, issue_id) where status in ('queued', 'running') do nothing;
    if found then
      perform pg_notify('boardroom_work', '');
      return fresh_run;
    end if;
  end loop;
end
$$;
