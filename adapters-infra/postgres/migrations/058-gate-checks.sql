-- Gates that run a command: what it is, how long it may take, and how often its failures wake the agent.
alter table project_gates add column command text;
alter table project_gates add column timeout_sec int;
alter table project_gates add column max_wakes int;
alter table project_gates drop constraint project_gates_kind_check;
alter table project_gates add constraint project_gates_kind_check
  check (kind in ('clean', 'published', 'command', 'checks', 'review'));

-- The last run of a command gate at the heads of an issue's branches.
create table gate_checks (
  issue_id        uuid not null,
  company_id      uuid not null references companies,
  gate            text not null,
  command         text not null,
  commits         text[] not null,
  state           text not null check (state in ('running', 'passed', 'failed')),
  -- a sentence; null: it succeeded, or runs still
  problem         text,
  -- the end of what it printed
  log             text not null,
  duration_ms     int,
  -- how often its failures woke the agent since a person acted, and since when it waits for one
  wakes           int not null,
  handed_over_at  timestamptz(3),
  -- until then the service that runs it counts as alive
  lease_until     timestamptz(3) not null,
  started_at      timestamptz(3) not null,
  finished_at     timestamptz(3),
  primary key (issue_id, gate),
  foreign key (company_id, issue_id) references issues (company_id, id)
);
create index gate_checks_handed_over on gate_checks (company_id) where handed_over_at is not null;
