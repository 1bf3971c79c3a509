-- Every id is a UUID v7 made by the service: time-ordered, so that indexes grow at one end.
-- Every foreign key that crosses tables of one company carries company_id, so that no row can point at a neighbour's.

create table companies (
  id                    uuid primary key,
  name                  text not null,
  description           text,
  status                text not null check (status in ('active', 'paused', 'archived')),
  issue_prefix          text not null constraint companies_issue_prefix_key unique,
  issue_counter         integer not null default 0,
  budget_monthly_cents  bigint not null default 0,
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null
);

-- Who may call -------------------------------------------------------------------------------------------------

create table board_users (
  id            uuid primary key,
  name          text not null,
  is_admin      boolean not null default false,
  created_at    timestamptz(3) not null,
  disabled_at   timestamptz(3)
);

create table memberships (
  company_id    uuid not null references companies,
  user_id       uuid not null references board_users,
  role          text not null check (role in ('owner', 'operator', 'viewer')),
  created_at    timestamptz(3) not null,
  primary key (user_id, company_id)
);
create index memberships_by_company on memberships (company_id);

-- Board tokens and the sessions exchanged for them. Only hashes are kept.
create table board_tokens (
  id            uuid primary key,
  user_id       uuid not null references board_users,
  kind          text not null check (kind in ('token', 'session')),
  name          text not null,
  hash          bytea not null constraint board_tokens_hash_key unique,
  csrf_hash     bytea,
  created_at    timestamptz(3) not null,
  expires_at    timestamptz(3),
  last_used_at  timestamptz(3),
  revoked_at    timestamptz(3)
);
create index board_tokens_by_user on board_tokens (user_id, id);

-- Work and who does it -----------------------------------------------------------------------------------------

create table agents (
  id                    uuid primary key,
  company_id            uuid not null references companies,
  name                  text not null,
  url_key               text not null,
  role                  text not null,
  title                 text,
  reports_to            uuid,
  capabilities          text,
  standing              text not null check (standing in ('active', 'pending_approval', 'terminated')),
  held_manually_at      timestamptz(3),
  held_by_budget_at     timestamptz(3),
  error_reason          text,
  adapter_type          text not null,
  adapter_config        jsonb not null,
  runtime_config        jsonb not null,
  metadata              jsonb,
  budget_monthly_cents  bigint not null default 0,
  last_heartbeat_at     timestamptz(3),
  next_timer_at         timestamptz(3),
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, reports_to) references agents (company_id, id)
);
create unique index agents_url_key_key on agents (company_id, url_key) where standing <> 'terminated';
create index agents_by_timer on agents (next_timer_at) where next_timer_at is not null and standing = 'active';

create table agent_keys (
  id            uuid primary key,
  company_id    uuid not null,
  agent_id      uuid not null,
  name          text not null,
  hash          bytea not null constraint agent_keys_hash_key unique,
  created_at    timestamptz(3) not null,
  last_used_at  timestamptz(3),
  revoked_at    timestamptz(3),
  foreign key (company_id, agent_id) references agents (company_id, id)
);
create index agent_keys_by_agent on agent_keys (agent_id, id);

create table agent_config_revisions (
  id                            uuid primary key,
  company_id                    uuid not null,
  agent_id                      uuid not null,
  source                        text not null check (source in ('create', 'patch', 'rollback')),
  rolled_back_from_revision_id  uuid,
  changed_keys                  text[] not null,
  before_config                 jsonb,
  after_config                  jsonb not null,
  created_by_agent_id           uuid,
  created_by_user_id            uuid,
  created_at                    timestamptz(3) not null,
  foreign key (company_id, agent_id) references agents (company_id, id)
);
create index agent_config_revisions_by_agent on agent_config_revisions (agent_id, id desc);

create table goals (
  id              uuid primary key,
  company_id      uuid not null references companies,
  title           text not null,
  description     text,
  level           text not null check (level in ('company', 'team', 'agent', 'task')),
  status          text not null check (status in ('planned', 'active', 'achieved', 'cancelled')),
  parent_id       uuid,
  owner_agent_id  uuid,
  archived_at     timestamptz(3),
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, parent_id) references goals (company_id, id),
  foreign key (company_id, owner_agent_id) references agents (company_id, id)
);

create table projects (
  id             uuid primary key,
  company_id     uuid not null references companies,
  name           text not null,
  description    text,
  status         text not null check (status in ('backlog', 'planned', 'in_progress', 'completed', 'cancelled')),
  lead_agent_id  uuid,
  target_date    date,
  archived_at    timestamptz(3),
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, lead_agent_id) references agents (company_id, id)
);

create table issues (
  id                   uuid primary key,
  company_id           uuid not null references companies,
  identifier           text not null constraint issues_identifier_key unique,
  title                text not null,
  description          text,
  status               text not null check (status in ('backlog', 'todo', 'in_progress', 'in_review', 'done', 'blocked', 'cancelled')),
  priority             text not null check (priority in ('critical', 'high', 'medium', 'low')),
  priority_rank        smallint generated always as (case priority when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end) stored,
  assignee_agent_id    uuid,
  checkout_run_id      uuid,
  held_since           timestamptz(3),
  parent_id            uuid,
  project_id           uuid,
  goal_id              uuid,
  billing_code         text,
  created_by_agent_id  uuid,
  created_by_user_id   uuid,
  started_at           timestamptz(3),
  completed_at         timestamptz(3),
  cancelled_at         timestamptz(3),
  last_activity_at     timestamptz(3) not null,
  created_at           timestamptz(3) not null,
  updated_at           timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, assignee_agent_id) references agents (company_id, id),
  foreign key (company_id, parent_id) references issues (company_id, id),
  foreign key (company_id, project_id) references projects (company_id, id),
  foreign key (company_id, goal_id) references goals (company_id, id),
  check (checkout_run_id is null or (status = 'in_progress' and assignee_agent_id is not null))
);
create index issues_in_order on issues (company_id, priority_rank, last_activity_at desc, id desc);
create index issues_by_status on issues (company_id, status, priority_rank, last_activity_at desc, id desc);
create index issues_by_assignee on issues (assignee_agent_id, priority_rank, last_activity_at desc, id desc) where assignee_agent_id is not null;
create index issues_by_project on issues (project_id, priority_rank, last_activity_at desc, id desc) where project_id is not null;
create index issues_by_goal on issues (goal_id, priority_rank, last_activity_at desc, id desc) where goal_id is not null;
create index issues_by_holder on issues (checkout_run_id) where checkout_run_id is not null;
create index issues_by_parent on issues (parent_id) where parent_id is not null;

create table issue_blockers (
  company_id   uuid not null,
  issue_id     uuid not null,
  blocked_by_id uuid not null,
  primary key (issue_id, blocked_by_id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, blocked_by_id) references issues (company_id, id)
);
create index issue_blockers_by_blocker on issue_blockers (blocked_by_id);
create index issue_blockers_by_company on issue_blockers (company_id);

create table comments (
  id                 uuid primary key,
  company_id         uuid not null,
  issue_id           uuid not null,
  body               text not null,
  author_agent_id    uuid,
  author_user_id     uuid,
  created_by_run_id  uuid,
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  foreign key (company_id, issue_id) references issues (company_id, id)
);
create index comments_by_issue on comments (issue_id, id desc);

-- Runs ---------------------------------------------------------------------------------------------------------

-- One place in the order of everything a company's followers see; with xid it is safe to read up to the oldest open transaction.
create sequence stream_positions;

create table runs (
  id                  uuid primary key,
  company_id          uuid not null,
  agent_id            uuid not null,
  issue_id            uuid,
  adapter_type        text not null,
  status              text not null check (status in ('queued', 'running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'interrupted')),
  wake_reason         text not null,
  invocation_source   text not null,
  context             jsonb not null default '{}',
  retry_of_run_id     uuid,
  -- the custody of a service process
  service_id          uuid,
  process_pid         integer,
  process_started_at  text,
  stop_requested_at   timestamptz(3),
  stop_reason         text,
  -- how it went
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
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id),
  foreign key (company_id, issue_id) references issues (company_id, id)
);
create unique index runs_one_live on runs (agent_id, issue_id) nulls not distinct where status in ('queued', 'running');
create index runs_queued on runs (created_at, id) where status = 'queued';
create index runs_running on runs (service_id) where status = 'running';
create index runs_stopping on runs (stop_requested_at) where status = 'running' and stop_requested_at is not null;
create index runs_by_company on runs (company_id, id desc);
create index runs_by_agent on runs (agent_id, id desc);
create index runs_by_issue on runs (issue_id, id desc) where issue_id is not null;

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
  created_at        timestamptz(3) not null,
  ended_at          timestamptz(3),
  check ((status = 'pending') = (ended_at is null)),
  foreign key (company_id, agent_id) references agents (company_id, id)
);
create index wakes_pending on wakes (agent_id, issue_id) where status = 'pending';
create index wakes_pending_by_age on wakes (created_at) where status = 'pending';
create index wakes_by_run on wakes (run_id) where run_id is not null;

-- The queued run that a new wake of the agent and issue belongs to: the one that is there, else a fresh one. Null where
-- one is running: then the wake waits. In a loop, because a run may begin or end between two looks. What it finds stays
-- as it is until the end of the transaction, so that no run can end without the wakes that wait for its end.
create function queued_run_for(
  wake_company  uuid,
  wake_agent    uuid,
  wake_issue    uuid,
  fresh_run     uuid,
  adapter       text,
  reason        text,
  source        text,
  payload       jsonb,
  retry_of      uuid,
  at            timestamptz
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
      -- Whoever claims passes over a run that is locked: tell it to look again.
      perform pg_notify('boardroom_work', '');
      return live.id;
    end if;

    insert into runs (
      id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source,
      context, retry_of_run_id, created_at, updated_at
    )
    values (
      fresh_run, wake_company, wake_agent, wake_issue, adapter, 'queued', reason, source,
      payload, retry_of, at, at
    )
    on conflict (agent_id, issue_id) where status in ('queued', 'running') do nothing;
    if found then
      perform pg_notify('boardroom_work', '');
      return fresh_run;
    end if;
  end loop;
end
$$;

create table run_events (
  company_id  uuid not null,
  run_id      uuid not null,
  seq         integer not null,
  type        text not null,
  level       text not null default 'info',
  message     text,
  payload     jsonb not null default '{}',
  created_at  timestamptz(3) not null,
  position    bigint not null default nextval('stream_positions'),
  xid         xid8 not null default pg_current_xact_id(),
  primary key (run_id, seq)
);
create index run_events_in_stream on run_events (company_id, xid, position);

-- The run's log: segments end at a line end; offset and bytes count the stored text.
create table run_log_segments (
  company_id   uuid not null,
  run_id       uuid not null,
  byte_offset  bigint not null,
  bytes        integer not null,
  blob_key     text not null,
  created_at   timestamptz(3) not null,
  position     bigint not null default nextval('stream_positions'),
  xid          xid8 not null default pg_current_xact_id(),
  primary key (run_id, byte_offset)
);
create index run_log_segments_in_stream on run_log_segments (company_id, xid, position);

-- What an adapter needs for going on where it stopped, per agent and task.
create table task_sessions (
  company_id    uuid not null,
  agent_id      uuid not null,
  adapter_type  text not null,
  task_key      text not null,
  params        jsonb not null,
  display_id    text,
  last_run_id   uuid not null,
  updated_at    timestamptz(3) not null,
  primary key (agent_id, adapter_type, task_key),
  foreign key (company_id, agent_id) references agents (company_id, id)
);

create table cost_events (
  id                   uuid primary key,
  company_id           uuid not null,
  agent_id             uuid not null,
  issue_id             uuid,
  project_id           uuid,
  run_id               uuid,
  provider             text not null,
  model                text not null,
  billing_type         text not null default 'unknown',
  cost_status          text not null check (cost_status in ('reported', 'priced', 'unknown')),
  input_tokens         bigint not null,
  cached_input_tokens  bigint not null,
  output_tokens        bigint not null,
  cost_cents           bigint not null,
  occurred_at          timestamptz(3) not null,
  created_at           timestamptz(3) not null,
  foreign key (company_id, agent_id) references agents (company_id, id)
);
create index cost_events_by_agent on cost_events (agent_id, occurred_at) include (cost_cents);
create index cost_events_by_company on cost_events (company_id, occurred_at) include (cost_cents);

-- The memory of the house --------------------------------------------------------------------------------------

create table activity (
  id           uuid primary key,
  company_id   uuid not null references companies,
  actor_kind   text not null check (actor_kind in ('board', 'agent', 'system')),
  actor_id     uuid,
  run_id       uuid,
  action       text not null,
  entity_type  text not null,
  entity_id    uuid not null,
  details      jsonb not null,
  created_at   timestamptz(3) not null,
  position     bigint not null default nextval('stream_positions'),
  xid          xid8 not null default pg_current_xact_id()
);
create index activity_by_company on activity (company_id, id desc);
create index activity_by_entity on activity (entity_id, id desc);
create index activity_by_actor on activity (actor_id, id desc) where actor_id is not null;
create index activity_in_stream on activity (company_id, xid, position);

create table idempotency_keys (
  scope         bytea primary key,
  request       bytea not null,
  reserved_id   uuid not null,
  status        integer,
  expires_at    timestamptz(3) not null,
  lease_until   timestamptz(3) not null
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

-- Service processes that share this database. A lease that has run out means: dead.
create table services (
  id           uuid primary key,
  host         text not null,
  pid          integer not null,
  role         text not null,
  started_at   timestamptz(3) not null,
  lease_until  timestamptz(3) not null
);

-- Keys of the service itself, such as the one that signs run tokens.
create table instance_settings (
  name   text primary key,
  value  jsonb not null
);
