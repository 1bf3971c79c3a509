alter table repositories
  -- the folders that a workspace has; null: all
  add column sparse_folders       text[],
  -- for a shell: once in a new workspace, before each run, and before the workspace is removed
  add column setup_command        text,
  add column run_command          text,
  add column archive_command      text,
  -- the longest time of each
  add column command_timeout_sec  int not null default 600;

alter table trees
  -- the first of its ports; null: it has none
  add column first_port  int,
  -- of its folder, after its last run; null: not known
  add column bytes       bigint;
create unique index trees_by_port on trees (volume, first_port) where first_port is not null;

-- The last commands of repositories in a workspace, with what they printed.
create table workspace_commands (
  id             uuid primary key,
  company_id     uuid not null references companies,
  tree_id        uuid not null,
  repository_id  uuid not null,
  -- the run that they prepared; null: of a removal
  run_id         uuid,
  kind           text not null check (kind in ('setup', 'run', 'archive')),
  command        text not null,
  -- null: it was ended
  exit_code      int,
  -- why it counts as failed; null: it succeeded
  problem        text,
  -- the end of what it printed
  output         text not null,
  duration_ms    int not null,
  ended_at       timestamptz(3) not null,
  foreign key (company_id, tree_id) references trees (company_id, id),
  foreign key (company_id, repository_id) references repositories (company_id, id)
);
create index workspace_commands_by_tree on workspace_commands (tree_id, id);
