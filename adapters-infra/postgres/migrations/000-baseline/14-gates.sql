-- Conditions that an issue of a project must meet before it is done.
create table project_gates (
  project_id         uuid not null,
  company_id         uuid not null references companies,
  position           int not null,
  name               text not null,
  kind               text not null check (kind in ('clean', 'published', 'command', 'checks', 'review')),
  -- of a review: one of them
  reviewer_agent_id  uuid,
  reviewer_user_id   uuid references board_users,
  -- of a command; `max_wakes`: how often its failures wake the agent before a person must act
  command            text,
  timeout_sec        int,
  max_wakes          int,
  primary key (project_id, position),
  unique (project_id, name),
  check (num_nonnulls(reviewer_agent_id, reviewer_user_id) = case kind when 'review' then 1 else 0 end),
  foreign key (company_id, project_id) references projects (company_id, id),
  foreign key (company_id, reviewer_agent_id) references agents (company_id, id)
);
create index project_gates_with_command on project_gates (project_id) where kind = 'command';

-- The gates of a single issue, which replace those of its project.
create table issue_gates (
  issue_id           uuid not null,
  company_id         uuid not null references companies,
  position           int not null,
  name               text not null,
  kind               text not null check (kind in ('clean', 'published', 'command', 'checks', 'review')),
  -- of a review: one of them
  reviewer_agent_id  uuid,
  reviewer_user_id   uuid references board_users,
  -- of a command
  command            text,
  timeout_sec        int,
  max_wakes          int,
  primary key (issue_id, position),
  unique (issue_id, name),
  check (num_nonnulls(reviewer_agent_id, reviewer_user_id) = case kind when 'review' then 1 else 0 end),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, reviewer_agent_id) references agents (company_id, id)
);

-- The last run of a command gate at the heads of an issue's branches.
create table gate_checks (
  issue_id        uuid not null,
  company_id      uuid not null references companies,
  gate            text not null,
  command         text not null,
  commits         text[] not null,
  state           text not null check (state in ('running', 'passed', 'failed')),
  -- a sentence; null: it passed, or is running
  problem         text,
  -- the end of what it printed
  log             text not null,
  duration_ms     int,
  -- how often its failures woke the agent since a person acted, and since when it waits for a person
  wakes           int not null,
  handed_over_at  timestamptz(3),
  -- until then the service that runs it counts as alive
  lease_until     timestamptz(3) not null,
  started_at      timestamptz(3) not null,
  finished_at     timestamptz(3),
  lapsed_at       timestamptz(3),
  -- A done issue has new work: the gate is checked again.
  is_due          boolean not null default false,
  primary key (issue_id, gate),
  foreign key (company_id, issue_id) references issues (company_id, id)
);
create index gate_checks_handed_over on gate_checks (company_id) where handed_over_at is not null;
create index gate_checks_running on gate_checks (lease_until) where state = 'running';
create index gate_checks_to_run on gate_checks (issue_id) where is_due or state = 'running';

-- The last review of an issue by each reviewer, of the heads of its branches at that time.
create table issue_reviews (
  issue_id    uuid not null,
  company_id  uuid not null references companies,
  agent_id    uuid,
  user_id     uuid references board_users,
  verdict     text not null check (verdict in ('approved', 'changes_requested')),
  note        text,
  commits     text[] not null,
  created_at  timestamptz(3) not null,
  unique nulls not distinct (issue_id, agent_id, user_id),
  check (num_nonnulls(agent_id, user_id) = 1),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id)
);
