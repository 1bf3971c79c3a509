-- Questions to the board: a hire, a strategy, an ownership decision.
create table approvals (
  id                     uuid primary key,
  company_id             uuid not null references companies,
  type                   text not null check (type in ('approve_ceo_strategy', 'hire_agent', 'ownership_decision')),
  status                 text not null check (status in ('pending', 'approved', 'rejected', 'revision_requested')),
  payload                jsonb not null,
  -- the draft that is hired, or the agent that the approval created
  agent_id               uuid,
  requested_by_agent_id  uuid,
  requested_by_user_id   uuid references board_users,
  decision_note          text,
  chosen_owner           text,
  off_list_reason        text,
  decided_by_agent_id    uuid,
  decided_by_user_id     uuid references board_users,
  decided_at             timestamptz(3),
  -- Which payload a decision is about: the first is 1, and each resubmit adds 1.
  payload_revision       integer not null default 1,
  -- Variables of a hire whose values an agent wrote, which are shown to the people who decide.
  proposed_variables     text[] not null default '{}',
  granted_paths          jsonb not null default '[]',
  -- What a list shows: a payload may have a mebibyte.
  title                  text
    generated always as (left(coalesce(payload ->> 'name', payload ->> 'subject', payload ->> 'title', type), 300)) stored,
  outline                jsonb generated always as (case when type = 'hire_agent' then outline_of(payload) end) stored,
  created_at             timestamptz(3) not null,
  updated_at             timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id),
  foreign key (company_id, requested_by_agent_id) references agents (company_id, id),
  foreign key (company_id, decided_by_agent_id) references agents (company_id, id),
  check (decided_by_agent_id is null or decided_by_user_id is null)
);
create index approvals_by_status on approvals (company_id, status, id desc);
create unique index approvals_open_hire on approvals (agent_id) where status in ('pending', 'revision_requested');
create index approvals_by_type on approvals (company_id, type, id);

-- Payloads of an approval before it was resubmitted, with their decisions.
create table approval_rounds (
  company_id           uuid not null,
  approval_id          uuid not null,
  payload_revision     integer not null,
  payload              jsonb not null,
  status               text not null,
  decision_note        text,
  decided_by_agent_id  uuid,
  decided_by_user_id   uuid references board_users,
  decided_at           timestamptz(3),
  primary key (approval_id, payload_revision),
  foreign key (company_id, approval_id) references approvals (company_id, id)
);

create table approval_issues (
  company_id   uuid not null,
  approval_id  uuid not null,
  issue_id     uuid not null,
  position     bigint generated always as identity,
  created_at   timestamptz(3) not null,
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

-- What a board owner lets an agent decide or do.
create table grants (
  id                  uuid primary key,
  company_id          uuid not null,
  agent_id            uuid not null,
  permission          text not null check (permission in ('agents:hire', 'strategy:decide', 'ownership:decide', 'code:merge')),
  -- Classes of decision, or repositories of `code:merge`; `all`.
  classes             text[] not null,
  granted_by_user_id  uuid not null references board_users,
  revoked_by_user_id  uuid references board_users,
  revoked_at          timestamptz(3),
  created_at          timestamptz(3) not null,
  foreign key (company_id, agent_id) references agents (company_id, id)
);
create index grants_by_company on grants (company_id, id desc);
create index grants_by_agent on grants (agent_id) where revoked_at is null;
