-- The activity log. Only inserted.
create table activity (
  id           uuid primary key,
  company_id   uuid not null references companies,
  actor_kind   text not null check (actor_kind in ('board', 'agent', 'system')),
  actor_id     uuid,
  -- the name of the assistant that acted for the person
  assistant    text,
  run_id       uuid,
  -- the id that its caller gave the request, by which a page recognises the events of its own changes
  request_id   text,
  action       text not null,
  entity_type  text not null,
  entity_id    uuid not null,
  details      jsonb not null,
  position     bigint not null default nextval('stream_positions'),
  xid          xid8 not null default pg_current_xact_id(),
  created_at   timestamptz(3) not null
);
create index activity_by_company on activity (company_id, id desc);
create index activity_by_entity on activity (entity_id, id desc);
create index activity_by_actor on activity (actor_id, id desc) where actor_id is not null;
create index activity_in_stream on activity (company_id, xid, position);
create index activity_by_type on activity (company_id, entity_type, id desc);
create index activity_ticks_missed on activity (company_id, created_at) where action = 'routine.ticks_missed';
-- what watchers of an issue see as news
create index activity_issue_news on activity (entity_id, created_at)
  where action in ('issue.created', 'issue.assigned', 'issue.status_changed', 'issue.comment_added');
-- for the loop breaker: when a person last acted
create index activity_by_people on activity (entity_id, created_at) where actor_kind = 'board';
create index activity_by_time on activity (company_id, created_at, id);
-- the search: words of the details, and the company as one of them
create index activity_by_words on activity using gin (
  (array_to_tsvector(array[company_id::text]) || jsonb_to_tsvector('english'::regconfig, plain(details::text)::jsonb, '["string"]'))
);

-- Inbox entries that a person dismissed, in the version that they saw.
create table inbox_dismissals (
  user_id       uuid not null references board_users,
  company_id    uuid not null references companies,
  entry_id      text not null,
  version       text not null,
  dismissed_at  timestamptz(3) not null,
  primary key (user_id, entry_id)
);

-- Requests with an Idempotency-Key, so that a repeated request gets the answer of the first.
create table idempotency_keys (
  scope        bytea primary key,
  request      bytea not null,
  reserved_id  uuid not null,
  status       integer,
  expires_at   timestamptz(3) not null,
  -- Until then the request counts as in progress.
  lease_until  timestamptz(3) not null,
  -- the answer, where no record has it; null: it is made from the record
  answer       jsonb
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

-- The service processes that share this database. One whose lease has ended counts as dead.
create table services (
  id                  uuid primary key,
  host                text not null,
  pid                 integer not null,
  role                text not null,
  started_at          timestamptz(3) not null,
  lease_until         timestamptz(3) not null,
  -- On its own host a service is known to be alive by its process, before its lease ends.
  process_started_at  text,
  -- the places whose processes it can end
  scopes              text[] not null default '{}',
  volume              text,
  -- Folders in which services of the same host find the programs that outlive the service, and for how many seconds after its
  -- lease: until then no other host starts its runs again.
  handover_folders    text[] not null default '{}',
  handover_sec        integer not null default 0
);

-- Where services store the workspaces and homes of agents: the disk of a host, or a folder that several share. A volume without
-- a live service counts as abandoned from `abandoned_at` on.
create table volumes (
  id           text primary key,
  host         text not null,
  seen_at      timestamptz(3) not null,
  abandoned_at  timestamptz(3) not null
);

-- Keys and states of the service, by name.
create table instance_settings (
  name   text primary key,
  value  jsonb not null
);
