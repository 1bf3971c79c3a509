-- Where a company sends its events: entries of the activity log after a position in the stream.
create table event_subscriptions (
  id                     uuid primary key,
  company_id             uuid not null references companies,
  -- as people see it: of a chat only the host
  url                    text not null,
  format                 text not null check (format in ('webhook', 'slack', 'discord', 'teams', 'mattermost')),
  events                 text[] not null,
  -- the secret that signs, or the address of a chat
  sealed                 bytea not null,
  secret_version         integer not null,
  -- the secret before, which signs too until then
  previous_sealed        bytea,
  previous_secret_until  timestamptz(3),
  disabled_at            timestamptz(3),
  disabled_because       text check (disabled_because in ('person', 'failing', 'gone')),
  failing_since          timestamptz(3),
  failures               integer not null default 0,
  last_error             text,
  -- the last event that was queued; null: it begins with the next one
  after_xid              xid8,
  after_position         bigint not null default 0,
  -- when it has something to send; null: nothing
  next_attempt_at        timestamptz(3),
  -- the service that sends
  leased_by              uuid,
  lease_until            timestamptz(3),
  created_at             timestamptz(3) not null,
  updated_at             timestamptz(3) not null,
  unique (company_id, id),
  check ((disabled_at is null) = (disabled_because is null))
);
create index event_subscriptions_by_company on event_subscriptions (company_id, created_at, id);
create index event_subscriptions_due on event_subscriptions (next_attempt_at)
  where disabled_at is null and next_attempt_at is not null;

-- Events on their way to subscriptions, and what was answered.
create table event_deliveries (
  id                uuid primary key,
  company_id        uuid not null,
  subscription_id   uuid not null,
  event_id          uuid not null,
  type              text not null,
  subject_type      text not null,
  subject_id        uuid not null,
  actor_type        text not null,
  actor_id          uuid,
  -- the name of the assistant that acted for the person
  assistant         text,
  run_id            uuid,
  details           jsonb not null,
  occurred_at       timestamptz(3) not null,
  -- The order in which they are sent.
  position          bigint not null default nextval('stream_positions'),
  state             text not null check (state in ('pending', 'delivered', 'undelivered')),
  -- Whether it is the first pending one of its subject: the others wait for it.
  is_head           boolean not null,
  attempts          integer not null default 0,
  first_attempt_at  timestamptz(3),
  last_attempt_at   timestamptz(3),
  next_attempt_at   timestamptz(3),
  status            integer,
  answer            text,
  duration_ms       integer,
  created_at        timestamptz(3) not null,
  foreign key (company_id, subscription_id) references event_subscriptions (company_id, id) on delete cascade,
  check ((state = 'pending') = (next_attempt_at is not null)),
  check (state = 'pending' or not is_head)
);
create index event_deliveries_due on event_deliveries (subscription_id, next_attempt_at) where is_head;
create index event_deliveries_in_order on event_deliveries (subscription_id, subject_id, position)
  where state = 'pending';
create index event_deliveries_by_time on event_deliveries (subscription_id, created_at desc, id desc);
create index event_deliveries_by_age on event_deliveries (created_at) where state <> 'pending';
create index event_deliveries_undelivered on event_deliveries (subscription_id) where state = 'undelivered';
