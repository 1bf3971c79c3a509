-- Positions in the stream that followers of a company read: run events, log segments and activity. Together with `xid`, a reader
-- stops at the oldest open transaction, and misses nothing that commits later.
create sequence stream_positions;

-- Heartbeats of agents, from the queue to the end of the last process.
create table runs (
  id                  uuid primary key,
  company_id          uuid not null,
  agent_id            uuid not null,
  issue_id            uuid,
  adapter_type        text not null,
  status              text not null
    check (status in ('queued', 'running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'interrupted')),
  wake_reason         text not null,
  invocation_source   text not null,
  -- What its wakes passed on: merged payloads.
  context             jsonb not null default '{}',
  retry_of_run_id     uuid,
  -- the service that supervises it
  service_id          uuid,
  stop_requested_at   timestamptz(3),
  stop_reason         text,
  started_at          timestamptz(3),
  finished_at         timestamptz(3),
  error_code          text,
  error               text,
  exit_code           integer,
  signal              text,
  last_output         text,
  summary             text,
  result              jsonb,
  usage               jsonb,
  cost_cents          bigint,
  session_id_before   text,
  session_id_after    text,
  log_bytes           bigint not null default 0,
  -- Where its processes are. Services without that scope end its row when the lease of its service ends, and touch no process.
  scope               text,
  -- Quarantined by the loop breaker since then, and by which of its rules, until a person acts on the issue.
  quarantined_since   timestamptz(3),
  quarantined_for     text check (quarantined_for in ('loop', 'agents')),
  -- What its program runs in: { kind, name, uid } of a process, a pod or a container.
  process             jsonb,
  runner              text,
  -- The machine of its program, as the engine names it, and why the program does not run yet: a sentence.
  node                text,
  waits_for           text,
  -- the volume of its workspace and session; null: none
  volume              text,
  -- when its events and log were deleted, by the operator's settings
  details_deleted_at  timestamptz(3),
  -- Facts for the loop breaker, taken from its first wake: whether only agents caused it, and when a timer, a webhook or a
  -- schedule was last among its causes.
  caused_by_agents    boolean not null default false,
  triggered_at        timestamptz(3),
  -- when its program first listed the service's tools
  tools_listed_at     timestamptz,
  -- whether its program accepts messages, and an interrupt of its turn
  takes_messages      boolean not null default false,
  takes_interrupt     boolean not null default false,
  -- While it is queued: when the change that caused it can no longer be undone. Null where it may start at once.
  not_before          timestamptz(3),
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id),
  foreign key (company_id, issue_id) references issues (company_id, id)
);
-- An agent has one live run on an issue, and one without an issue.
create unique index runs_one_live on runs (agent_id, issue_id) nulls not distinct where status in ('queued', 'running');
create index runs_queued on runs (created_at, id) where status = 'queued';
create index runs_running on runs (service_id) where status = 'running';
create index runs_stopping on runs (stop_requested_at) where status = 'running' and stop_requested_at is not null;
create index runs_by_agent on runs (agent_id, id desc);
create index runs_by_issue on runs (issue_id, id desc) where issue_id is not null;
create index runs_quarantined on runs (quarantined_since) where status = 'queued' and quarantined_since is not null;
create index runs_started_by_issue on runs (issue_id, started_at) where started_at is not null;
create index runs_started_by_company on runs (company_id, started_at) where started_at is not null;
create index runs_by_retried on runs (retry_of_run_id) where retry_of_run_id is not null;
create index runs_ended_by_issue on runs (issue_id, finished_at desc) where issue_id is not null and finished_at is not null;
create index runs_by_status on runs (company_id, status, id);
create index runs_failed on runs (company_id, finished_at) where status in ('failed', 'timed_out', 'interrupted');
create index runs_without_issue on runs (agent_id, id desc) where issue_id is null;
create index runs_cut_off on runs (company_id, agent_id)
  where stop_reason in ('agent_paused', 'company_paused', 'company_archived', 'budget_exhausted', 'project_budget_exhausted');
create index runs_by_time on runs (company_id, created_at);
create index runs_by_error on runs (company_id, error_code, id) where error_code is not null;
create index runs_with_details on runs (finished_at) where finished_at is not null and details_deleted_at is null;
create index runs_started_without_issue on runs (agent_id, started_at) where issue_id is null and started_at is not null;
create index runs_caused_by_agents on runs (agent_id, started_at) where caused_by_agents and started_at is not null;
create index runs_queued_by_issue on runs (issue_id) where status = 'queued' and issue_id is not null;

-- Requests that an agent run, each stored with its cause.
create table wakes (
  id                uuid primary key,
  company_id        uuid not null,
  agent_id          uuid not null,
  issue_id          uuid,
  reason            text not null,
  source            text not null,
  status            text not null check (status in ('pending', 'started', 'coalesced', 'skipped', 'cancelled')),
  end_reason        text,
  run_id            uuid,
  payload           jsonb not null default '{}',
  by_kind           text not null check (by_kind in ('board', 'agent', 'system')),
  by_id             uuid,
  ended_at          timestamptz(3),
  caused_by_agents  boolean not null default false,
  triggered_at      timestamptz(3),
  -- when its cause can no longer be undone
  not_before        timestamptz(3),
  -- the span of the work that made it, as W3C Trace Context writes it
  traceparent       text,
  created_at        timestamptz(3) not null,
  check ((status = 'pending') = (ended_at is null)),
  foreign key (company_id, agent_id) references agents (company_id, id)
);
create index wakes_pending on wakes (agent_id, issue_id) where status = 'pending';
create index wakes_pending_by_age on wakes (created_at) where status = 'pending';
create index wakes_by_run on wakes (run_id) where run_id is not null;
create index wakes_cut_off on wakes (company_id, agent_id)
  where end_reason in (
    'agent_paused', 'company_paused', 'company_archived', 'company_not_active', 'budget_exhausted', 'project_budget_exhausted'
  );
-- Deleted when they are old. Those that a hold cut off are needed until it is lifted.
create index wakes_ended_alone on wakes (ended_at)
  where run_id is null and end_reason not in (
    'agent_paused', 'company_paused', 'company_archived', 'company_not_active', 'budget_exhausted', 'project_budget_exhausted'
  );
create index wakes_by_people_on_issue on wakes (issue_id, created_at) where by_kind = 'board' and issue_id is not null;
create index wakes_by_people_for_agent on wakes (agent_id, created_at) where by_kind = 'board' and issue_id is null;

-- The queued run that a new wake of an agent on an issue joins: the existing one, or a new one. Null where a run is running:
-- then the wake waits for its end. It loops, because a run may begin or end between its two statements. The run that it finds
-- is locked until the end of the transaction, so that no run ends without the wakes that wait for its end.
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
  starts_after    timestamptz,
  at              timestamptz
) returns uuid language plpgsql as $$
declare
  live record;
begin
  -- Before the shared lock, which two transactions could not both turn into their own. A wake that may start at once ends
  -- the delay of the run that it joins.
  update runs
  set    not_before = case when starts_after is not null then greatest(not_before, starts_after) end
  where  agent_id = wake_agent
  and    issue_id is not distinct from wake_issue
  and    status = 'queued'
  and    not_before is not null;
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
      context, retry_of_run_id, caused_by_agents, triggered_at, not_before, created_at, updated_at
    )
    values (
      fresh_run, wake_company, wake_agent, wake_issue, adapter, 'queued', reason, source,
      payload, retry_of, by_agents, last_triggered, starts_after, at, at
    )
    on conflict (agent_id, issue_id) where status in ('queued', 'running') do nothing;
    if found then
      perform pg_notify('boardroom_work', '');
      return fresh_run;
    end if;
  end loop;
end
$$;

-- The numbered events of a run.
create table run_events (
  company_id  uuid not null,
  run_id      uuid not null,
  seq         integer not null,
  type        text not null,
  level       text not null default 'info',
  message     text,
  payload     jsonb not null default '{}',
  position    bigint not null default nextval('stream_positions'),
  xid         xid8 not null default pg_current_xact_id(),
  created_at  timestamptz(3) not null,
  primary key (run_id, seq)
);
create index run_events_in_stream on run_events (company_id, xid, position);

-- The log of a run: segments end at a line end; `byte_offset` and `bytes` count the stored text.
create table run_log_segments (
  company_id   uuid not null,
  run_id       uuid not null,
  byte_offset  bigint not null,
  bytes        integer not null,
  blob_key     text not null,
  position     bigint not null default nextval('stream_positions'),
  xid          xid8 not null default pg_current_xact_id(),
  created_at   timestamptz(3) not null,
  primary key (run_id, byte_offset)
);
create index run_log_segments_in_stream on run_log_segments (company_id, xid, position);

-- The last event of each company that was deleted: a reader that continues before it has missed events.
create table deleted_events (
  company_id  uuid primary key references companies,
  xid         xid8 not null,
  position    bigint not null
);

-- What an adapter needs to continue where the last run of a task ended.
create table task_sessions (
  company_id    uuid not null,
  agent_id      uuid not null,
  adapter_type  text not null,
  task_key      text not null,
  params        jsonb not null,
  display_id    text,
  last_run_id   uuid not null,
  -- the volume with its files; empty: it has none
  volume        text,
  updated_at    timestamptz(3) not null,
  primary key (agent_id, adapter_type, task_key),
  foreign key (company_id, agent_id) references agents (company_id, id)
);

-- Messages of people to a run while it works.
create table run_messages (
  id              uuid primary key,
  company_id      uuid not null references companies,
  run_id          uuid not null,
  agent_id        uuid not null,
  issue_id        uuid,
  -- the text; null: that of the comment
  body            text,
  comment_id      uuid references comments,
  author_user_id  uuid references board_users,
  state           text not null check (state in ('sent', 'queued', 'injected', 'new_run')),
  -- when the service gave it to the run's adapter
  sent_at       timestamptz(3),
  -- when the run's program, or the next run, received it
  delivered_at    timestamptz(3),
  -- the run that has it in its prompt
  next_run_id     uuid,
  created_at      timestamptz(3) not null,
  foreign key (company_id, run_id) references runs (company_id, id),
  foreign key (company_id, next_run_id) references runs (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  check ((body is null) = (comment_id is not null))
);
create index run_messages_by_run on run_messages (run_id, id);
-- those for the next run of the agent and issue
create index run_messages_left on run_messages (agent_id, issue_id) where state = 'new_run';
create index run_messages_by_next_run on run_messages (next_run_id) where next_run_id is not null;
