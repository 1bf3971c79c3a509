-- Costs and budgets --------------------------------------------------------------------------------------------

alter table companies add column held_by_budget_at timestamptz(3);
create index companies_held_by_budget on companies (held_by_budget_at) where held_by_budget_at is not null;
create index agents_held_by_budget on agents (held_by_budget_at) where held_by_budget_at is not null;

-- What was spent per company and per agent in a calendar month (UTC): counted with each cost event, in its transaction.
create table budget_months (
  company_id   uuid not null references companies,
  scope_id     uuid not null,
  month        timestamptz(3) not null,
  spent_cents  bigint not null,
  alerted_at   timestamptz(3),
  primary key (scope_id, month)
);
create index budget_months_by_company on budget_months (company_id);
insert into budget_months (company_id, scope_id, month, spent_cents)
select    company_id, scope_id, date_trunc('month', occurred_at, 'UTC'), sum(cost_cents)
from      cost_events, unnest(array[company_id, agent_id]) as scope_id
group by  company_id, scope_id, date_trunc('month', occurred_at, 'UTC');

alter table cost_events
  add column source    text not null default 'adapter' check (source in ('adapter', 'api')),
  add column event_id  text,
  add foreign key (company_id, issue_id) references issues (company_id, id),
  add foreign key (company_id, project_id) references projects (company_id, id),
  add foreign key (company_id, run_id) references runs (company_id, id);
alter table cost_events alter column source drop default;
-- One event per run says what its adapter reports; it is brought up to date while the run goes on.
create unique index cost_events_of_run on cost_events (run_id) where source = 'adapter';
create unique index cost_events_event_id_key on cost_events (agent_id, event_id) where event_id is not null;
create index cost_events_in_order on cost_events (company_id, id desc);

-- Approvals ----------------------------------------------------------------------------------------------------

create table approvals (
  id                     uuid primary key,
  company_id             uuid not null references companies,
  type                   text not null check (type in ('approve_ceo_strategy', 'hire_agent', 'ownership_decision')),
  status                 text not null check (status in ('pending', 'approved', 'rejected', 'revision_requested')),
  payload                jsonb not null,
  -- who is hired: the draft, or whoever the approval made
  agent_id               uuid,
  requested_by_agent_id  uuid,
  requested_by_user_id   uuid references board_users,
  decision_note          text,
  chosen_owner           text,
  off_list_reason        text,
  decided_by_agent_id    uuid,
  decided_by_user_id     uuid references board_users,
  decided_at             timestamptz(3),
  created_at             timestamptz(3) not null,
  updated_at             timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id),
  foreign key (company_id, requested_by_agent_id) references agents (company_id, id),
  foreign key (company_id, decided_by_agent_id) references agents (company_id, id),
  check (decided_by_agent_id is null or decided_by_user_id is null)
);
create index approvals_in_order on approvals (company_id, id desc);
create index approvals_by_status on approvals (company_id, status, id desc);
create unique index approvals_open_hire on approvals (agent_id) where status in ('pending', 'revision_requested');

create table approval_issues (
  company_id   uuid not null,
  approval_id  uuid not null,
  issue_id     uuid not null,
  created_at   timestamptz(3) not null,
  position     bigint generated always as identity,
  primary key (approval_id, issue_id),
  foreign key (company_id, approval_id) references approvals (company_id, id),
  foreign key (company_id, issue_id) references issues (company_id, id)
);
create index approval_issues_by_issue on approval_issues (issue_id, approval_id desc);

create table approval_comments (
  id               uuid primary key,
  company_id       uuid not null,
  approval_id      uuid not null,
  body             text not null,
  author_agent_id  uuid,
  author_user_id   uuid references board_users,
  created_at       timestamptz(3) not null,
  foreign key (company_id, approval_id) references approvals (company_id, id),
  foreign key (company_id, author_agent_id) references agents (company_id, id)
);
create index approval_comments_by_approval on approval_comments (approval_id, id);

-- What a board owner lets an agent decide.
create table grants (
  id                  uuid primary key,
  company_id          uuid not null,
  agent_id            uuid not null,
  permission          text not null check (permission in ('agents:hire', 'strategy:decide', 'ownership:decide')),
  classes             text[] not null,
  granted_by_user_id  uuid not null references board_users,
  created_at          timestamptz(3) not null,
  revoked_by_user_id  uuid references board_users,
  revoked_at          timestamptz(3),
  foreign key (company_id, agent_id) references agents (company_id, id)
);
create index grants_by_company on grants (company_id, id desc);
create index grants_by_agent on grants (agent_id) where revoked_at is null;
