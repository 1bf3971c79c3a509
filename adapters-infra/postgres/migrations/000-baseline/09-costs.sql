-- Reports of usage.
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
  cost_cents           numeric(30, 6) not null,
  occurred_at          timestamptz(3) not null,
  source               text not null check (source in ('adapter', 'api')),
  event_id             text,
  created_at           timestamptz(3) not null,
  foreign key (company_id, agent_id) references agents (company_id, id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, project_id) references projects (company_id, id),
  foreign key (company_id, run_id) references runs (company_id, id)
);
-- The adapter's report of a run is one event, updated while the run works.
create unique index cost_events_of_run on cost_events (run_id) where source = 'adapter';
create unique index cost_events_event_id_key on cost_events (agent_id, event_id) where event_id is not null;
create index cost_events_by_agent on cost_events (agent_id, occurred_at, id) include (cost_cents);
create index cost_events_by_company on cost_events (company_id, occurred_at, id) include (cost_cents);
create index cost_events_by_run on cost_events (run_id, occurred_at) include (cost_cents) where run_id is not null;

-- Sums of cost events, so that reports need not add up events. The transaction that records a cost updates them after it has
-- locked the company, so that no other transaction updates them.

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
  -- hash of these three, which are too long for an index
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

-- How many runs of an agent had costs on a day, by the previous day on which they had any; -infinity: none. The runs of a
-- period are those of its days whose previous day lies before it: each run counts once.
create table cost_run_days (
  company_id    uuid not null references companies,
  agent_id      uuid not null,
  day           date not null,
  previous_day  date not null,
  runs          bigint not null,
  primary key (company_id, day, previous_day, agent_id)
) with (fillfactor = 70);

-- The sums of an issue in a calendar month (UTC); null: of costs without an issue.
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

-- Events older than the operator's settings are folded: deleted, while the sums above stay. The sums of an issue on a day are
-- made when its events are folded.

-- Until when (UTC, the beginning of a month) events of a company may have been folded.
create table cost_folds (
  company_id  uuid primary key references companies,
  before      timestamptz(3) not null
);

-- The sums of the folded events of an issue (null: of none) on a day (UTC), by the previous day on which their runs had costs
-- on that issue; -infinity: none. The runs of a period are those whose previous day lies before it.
create table cost_issue_days (
  company_id           uuid not null references companies,
  day                  date not null,
  issue_id             uuid,
  previous_day         date not null,
  cost_cents           numeric(30, 6) not null,
  priced_cents         numeric(30, 6) not null,
  input_tokens         numeric(30) not null,
  cached_input_tokens  numeric(30) not null,
  output_tokens        numeric(30) not null,
  event_count          bigint not null,
  unknown_event_count  bigint not null,
  unknown_tokens       numeric(30) not null,
  run_count            bigint not null,
  constraint cost_issue_days_key unique nulls not distinct (company_id, day, issue_id, previous_day)
);

-- The spending of a company, an agent or a project in a calendar month (UTC), updated in the transaction of each cost event.
create table budget_months (
  company_id            uuid not null references companies,
  scope_id              uuid not null,
  month                 timestamptz(3) not null,
  spent_cents           numeric(30, 6) not null,
  alerted_at            timestamptz(3),
  alerted_budget_cents  bigint,
  primary key (scope_id, month)
);
create index budget_months_by_company on budget_months (company_id);
