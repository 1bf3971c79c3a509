-- Attempts to get the work of an issue into the default branch at the host. One at a time for each repository.
create table merges (
  id             uuid primary key,
  company_id     uuid not null references companies,
  issue_id       uuid not null,
  repository_id  uuid not null,
  method         text not null check (method in ('fast_forward', 'merge', 'squash')),
  -- the head of the issue's branch, and that of the default branch that it is merged into
  from_commit    text not null,
  onto_commit    text,
  -- what is pushed, noted before the push: after a crash the host tells whether it has it
  commit         text,
  state          text not null check (state in ('running', 'merged', 'failed')),
  by_kind        text not null check (by_kind in ('board', 'agent', 'system')),
  by_id          uuid,
  by_run_id      uuid,
  -- until then the service that began it counts as alive
  lease_until    timestamptz(3) not null,
  created_at     timestamptz(3) not null,
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, repository_id) references repositories (company_id, id)
);
create unique index merges_one_running on merges (repository_id) where state = 'running';
create index merges_by_issue on merges (issue_id, id);

-- A permission to merge, whose classes are ids of repositories, or all.
alter table grants drop constraint grants_permission_check;
alter table grants add constraint grants_permission_check
  check (permission in ('agents:hire', 'strategy:decide', 'ownership:decide', 'code:merge'));
