-- Recurring tasks: each firing creates an issue for the assignee.
create table routines (
  id                      uuid primary key,
  company_id              uuid not null references companies,
  title                   text not null,
  description             text,
  assignee_agent_id       uuid not null,
  project_id              uuid not null,
  goal_id                 uuid,
  parent_issue_id         uuid,
  priority                text not null check (priority in ('critical', 'high', 'medium', 'low')),
  status                  text not null check (status in ('active', 'paused', 'archived')),
  concurrency_policy      text not null check (concurrency_policy in ('coalesce_if_active', 'skip_if_active', 'always_enqueue')),
  catch_up_policy         text not null check (catch_up_policy in ('skip_missed', 'enqueue_missed_with_cap')),
  latest_revision_id      uuid not null,
  latest_revision_number  integer not null,
  created_by_agent_id     uuid,
  created_by_user_id      uuid,
  created_at              timestamptz(3) not null,
  updated_at              timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, assignee_agent_id) references agents (company_id, id),
  foreign key (company_id, project_id) references projects (company_id, id),
  foreign key (company_id, goal_id) references goals (company_id, id),
  foreign key (company_id, parent_issue_id) references issues (company_id, id)
);
create index routines_in_order on routines (company_id, updated_at desc, id desc);

alter table issues add foreign key (company_id, routine_id) references routines (company_id, id);

-- Only inserted.
create table routine_revisions (
  id                         uuid primary key,
  company_id                 uuid not null,
  routine_id                 uuid not null,
  revision_number            integer not null,
  change_summary             text not null,
  snapshot                   jsonb not null,
  restored_from_revision_id  uuid,
  created_by_agent_id        uuid,
  created_by_user_id         uuid,
  created_by_run_id          uuid,
  created_at                 timestamptz(3) not null,
  unique (routine_id, revision_number),
  foreign key (company_id, routine_id) references routines (company_id, id)
);

-- What fires a routine: a schedule, a webhook or an API call.
create table routine_triggers (
  id                 uuid primary key,
  company_id         uuid not null,
  routine_id         uuid not null,
  kind               text not null check (kind in ('schedule', 'webhook', 'api')),
  label              text,
  enabled            boolean not null,
  cron_expression    text,
  timezone           text,
  -- the earliest tick that has not been fired; null while the trigger must not fire by itself
  next_fire_at       timestamptz(3),
  last_fired_at      timestamptz(3),
  public_id          text constraint routine_triggers_public_id_key unique,
  signing_mode       text check (signing_mode in ('bearer', 'hmac_sha256', 'github_sha256', 'standard_webhooks', 'gitlab_token', 'stripe')),
  replay_window_sec  integer,
  sealed_secret      bytea,
  secret_version     integer not null default 0,
  last_rotated_at    timestamptz(3),
  -- Its row stays for its runs, and because a revision may restore it.
  deleted_at         timestamptz(3),
  -- When `next_fire_at` was calculated. A time in the future shows that the clock was set back since, and the tick may be too
  -- late.
  scheduled_at       timestamptz(3),
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, routine_id) references routines (company_id, id),
  check ((kind = 'schedule') = (cron_expression is not null)),
  check ((kind = 'schedule') = (timezone is not null)),
  check ((kind = 'webhook') = (public_id is not null)),
  check (kind = 'webhook' or sealed_secret is null),
  check (next_fire_at is null or (kind = 'schedule' and enabled and deleted_at is null))
);
create index routine_triggers_by_routine on routine_triggers (routine_id, id);
create index routine_triggers_due on routine_triggers (next_fire_at) where next_fire_at is not null;
create index routine_triggers_next on routine_triggers (company_id, next_fire_at, id) where next_fire_at is not null;
create index routine_triggers_by_clock on routine_triggers (scheduled_at) where next_fire_at is not null;

-- Services that wait for the next tick are notified of an earlier one.
create function announce_schedule() returns trigger language plpgsql as $$
begin
  perform pg_notify('boardroom_schedule', '');
  return null;
end
$$;

create trigger routine_triggers_announced after insert on routine_triggers
for each row when (new.next_fire_at is not null) execute function announce_schedule();

create trigger routine_triggers_moved after update of next_fire_at on routine_triggers
for each row when (new.next_fire_at is not null and (old.next_fire_at is null or new.next_fire_at < old.next_fire_at))
execute function announce_schedule();

-- Firings. Whether one was completed in the end is derived from its issue.
create table routine_runs (
  id                     uuid primary key,
  company_id             uuid not null,
  routine_id             uuid not null,
  trigger_id             uuid,
  source                 text not null check (source in ('schedule', 'manual', 'api', 'webhook')),
  status                 text not null check (status in ('issue_created', 'failed', 'coalesced', 'skipped')),
  -- the tick of a schedule
  scheduled_for          timestamptz(3),
  triggered_at           timestamptz(3) not null,
  idempotency_key        text,
  -- Hash of a signed request: the same again is a replay.
  replay_key             bytea,
  trigger_payload        jsonb,
  routine_revision_id    uuid not null,
  linked_issue_id        uuid,
  coalesced_into_run_id  uuid,
  failure_reason         text,
  created_at             timestamptz(3) not null,
  foreign key (company_id, routine_id) references routines (company_id, id),
  foreign key (company_id, trigger_id) references routine_triggers (company_id, id),
  foreign key (company_id, linked_issue_id) references issues (company_id, id),
  check ((source = 'schedule') = (scheduled_for is not null))
);
-- Each tick fires once, even if clocks are set back or services restart.
create unique index routine_runs_tick_key on routine_runs (trigger_id, scheduled_for) where scheduled_for is not null;
create unique index routine_runs_idempotency_key on routine_runs (routine_id, source, trigger_id, idempotency_key) nulls not distinct
  where idempotency_key is not null;
create unique index routine_runs_replay_key on routine_runs (trigger_id, replay_key) where replay_key is not null;
create index routine_runs_by_routine on routine_runs (routine_id, id desc);
create index routine_runs_by_issue on routine_runs (linked_issue_id, id) where linked_issue_id is not null;
-- the latest results of a routine
create index routine_runs_by_result on routine_runs (routine_id, id desc) where status in ('issue_created', 'failed');
create index routine_runs_with_payload on routine_runs (id) where trigger_payload is not null;
