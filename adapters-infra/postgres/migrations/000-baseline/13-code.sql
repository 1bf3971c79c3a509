-- Git repositories of projects. The service has two stores of each on its disk; agents never get the credential.
create table repositories (
  id                    uuid primary key,
  company_id            uuid not null references companies,
  project_id            uuid not null,
  -- http or https, without a user part
  url                   text not null,
  default_branch        text not null,
  credential_secret_id  uuid,
  -- its folder in a workspace; null: the workspace itself
  directory             text,
  mode                  text not null check (mode in ('issue', 'shared')),
  allow_private_host    boolean not null default false,
  checked_at            timestamptz(3) not null,
  -- what was wrong with the host then: a sentence
  problem               text,
  removed_at            timestamptz(3),
  -- null: without pull requests
  host_kind             text check (host_kind in ('github', 'gitlab', 'gitea', 'forgejo')),
  -- the address of its API; null: the usual one of its kind
  host_api_url          text,
  -- Merging a pull request at the host makes its issue done.
  closes_issues         boolean not null default false,
  webhook_secret_id     uuid references secrets on delete set null,
  -- the folders that are checked out; null: all
  sparse_folders        text[],
  -- shell commands: once in a new workspace, before each run, and before the workspace is removed
  setup_command         text,
  run_command           text,
  archive_command       text,
  -- the limit of each
  command_timeout_sec   int not null default 600,
  -- the author of the service's commits, and the branches of pull requests; null: the default
  author_name           text,
  author_email          text,
  branch_pattern        text,
  -- the size of its stores when they were last packed; null: not measured yet
  store_bytes           bigint,
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, project_id) references projects (company_id, id),
  foreign key (company_id, credential_secret_id) references secrets (company_id, id) on delete set null (credential_secret_id)
);
create index repositories_by_project on repositories (project_id, id) where removed_at is null;
create index repositories_by_secret on repositories (credential_secret_id) where credential_secret_id is not null;
create index repositories_by_webhook_secret on repositories (webhook_secret_id) where webhook_secret_id is not null;

-- The work of an issue in a repository. A workspace is a copy of it.
create table issue_branches (
  issue_id       uuid not null,
  repository_id  uuid not null,
  company_id     uuid not null references companies,
  -- boardroom/ABC-1
  branch         text not null,
  -- where it began: the default branch, or the branch of the parent issue
  base_branch    text not null,
  base_commit    text not null,
  -- the head after the last run of its assignee; null: none yet
  head           text,
  -- the run whose captured work is the newest
  captured_run_id    uuid,
  published_at   timestamptz(3),
  merged_at      timestamptz(3),
  merge_commit   text,
  abandoned_at    timestamptz(3),
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  primary key (issue_id, repository_id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, repository_id) references repositories (company_id, id)
);
create index issue_branches_by_repository on issue_branches (repository_id);

-- Workspaces of issues on volumes. A folder is a copy: the work of runs is in the service's stores, and described in run_works.
create table issue_workspaces (
  id             uuid primary key,
  company_id     uuid not null references companies,
  issue_id       uuid not null,
  volume         text not null,
  -- null: the workspace of the assignee, whose work is published; otherwise that of a second agent on the issue
  agent_id       uuid,
  -- the run that uses it, or used it last: while it is live no other run gets the workspace
  run_id         uuid not null,
  -- the run whose captured work the files are, or started from; null: the base of the branch
  state_run_id   uuid,
  -- a run that may have written to it, and whose work is not captured yet
  uncaptured_run_id  uuid,
  -- why not: a sentence
  problem        text,
  -- [{ "repositoryId", "directory" }]
  clones         jsonb not null,
  -- null: there is no folder with files
  made_at        timestamptz(3),
  used_at        timestamptz(3) not null,
  -- when the service last tried to capture its work
  tried_at       timestamptz(3),
  -- the name of its folder in the trash, which it is moved to; null: it stays, or was moved
  removal_id     uuid,
  -- the first of its ports; null: it has none
  first_port     int,
  -- the size of its folder after its last run; null: not known
  bytes          bigint,
  created_at     timestamptz(3) not null,
  unique (company_id, id),
  unique nulls not distinct (issue_id, volume, agent_id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id)
);
create index issue_workspaces_by_run on issue_workspaces (run_id);
create index issue_workspaces_by_uncaptured_run on issue_workspaces (uncaptured_run_id) where uncaptured_run_id is not null;
create index issue_workspaces_by_company on issue_workspaces (company_id, id);
create index issue_workspaces_by_removal on issue_workspaces (volume, id) where removal_id is not null;
create unique index issue_workspaces_by_port on issue_workspaces (volume, first_port) where first_port is not null;
-- for the removal of workspaces that were not used for long
create index issue_workspaces_idle on issue_workspaces (volume, used_at) where made_at is not null and uncaptured_run_id is null;

-- The captured work of a run in a repository. It outlives the row of the run.
create table run_works (
  run_id           uuid not null,
  repository_id    uuid not null,
  company_id       uuid not null references companies,
  issue_id         uuid not null,
  workspace_id          uuid not null,
  -- HEAD at the end, and a commit of all files that git does not ignore: HEAD itself, or its child
  head             text not null,
  files            text not null,
  -- the branch that was checked out; null: none
  branch           text,
  -- an unfinished operation of git, such as rebase-merge
  state            text,
  -- files that are not captured: [{ "path", "reason" }]
  left_out         jsonb not null,
  -- the thin pack in the blob store; null: not yet there
  blob_key         text,
  pack_bytes       bigint,
  captured_at          timestamptz(3) not null,
  -- the commit of all files at the beginning of the run
  base             text,
  -- when its pack was checked to be complete; null: not yet
  pack_checked_at  timestamptz(3),
  -- why it cannot be used: a sentence; null: it can, or was not checked yet
  pack_problem     text,
  primary key (run_id, repository_id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, repository_id) references repositories (company_id, id)
);
create index run_works_by_issue on run_works (issue_id, captured_at);
create index run_works_unchecked on run_works (run_id, repository_id) where blob_key is not null and pack_checked_at is null;
create index run_works_by_pack_problem on run_works (run_id, repository_id) where pack_problem is not null;

-- The last commands of repositories that ran in a workspace.
create table workspace_commands (
  id             uuid primary key,
  company_id     uuid not null references companies,
  workspace_id        uuid not null,
  repository_id  uuid not null,
  -- the run that it prepared; null: it ran before a removal
  run_id         uuid,
  kind           text not null check (kind in ('setup', 'run', 'archive')),
  command        text not null,
  -- null: it was stopped
  exit_code      int,
  -- why it counts as failed; null: it succeeded
  problem        text,
  -- the end of what it printed
  output         text not null,
  duration_ms    int not null,
  ended_at       timestamptz(3) not null,
  foreign key (company_id, workspace_id) references issue_workspaces (company_id, id),
  foreign key (company_id, repository_id) references repositories (company_id, id)
);
create index workspace_commands_by_workspace on workspace_commands (workspace_id, id);

-- How much a run has pushed to the service: the limits apply to all pushes of a run, to any service.
create table run_pushes (
  run_id      uuid primary key,
  company_id  uuid not null references companies,
  pushes      int not null,
  -- compressed, as sent
  bytes       bigint not null
);

-- Attempts to merge the work of an issue into the default branch at the host, one at a time for each repository.
create table merges (
  id             uuid primary key,
  company_id     uuid not null references companies,
  issue_id       uuid not null,
  repository_id  uuid not null,
  method         text not null check (method in ('fast_forward', 'merge', 'squash', 'pull_request')),
  -- the heads of the issue's branch and of the default branch
  from_commit    text not null,
  onto_commit    text,
  -- what is pushed, recorded before the push: after a crash the host is asked whether it has it
  commit         text,
  state          text not null check (state in ('running', 'merged', 'failed')),
  by_kind        text not null check (by_kind in ('board', 'agent', 'system')),
  by_id          uuid,
  by_run_id      uuid,
  -- until then the service that started it counts as alive
  lease_until    timestamptz(3) not null,
  -- when a service first saw that the lease had ended; null: none has
  lapsed_at      timestamptz(3),
  created_at     timestamptz(3) not null,
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, repository_id) references repositories (company_id, id)
);
create unique index merges_one_running on merges (repository_id) where state = 'running';
create index merges_by_issue on merges (issue_id, id);
create index merges_by_from_commit on merges (repository_id, from_commit) where state = 'merged';

-- Pull requests of issues at the hosts of repositories.
create table pull_requests (
  id              uuid primary key,
  company_id      uuid not null references companies,
  issue_id        uuid not null,
  repository_id   uuid not null,
  branch          text not null,
  into_branch     text not null,
  title           text not null,
  body            text not null,
  -- opening: the host is asked whether it has it already
  state           text not null check (state in ('opening', 'open', 'merged', 'closed')),
  number          int,
  url             text check (url ~ '^https?://'),
  -- what the service pushed last, and the base of the issue's work at that time
  head            text,
  base_commit     text,
  -- the host's last report of the checks of checks_commit
  checks          text not null check (checks in ('none', 'pending', 'passed', 'failed')),
  checks_commit   text,
  failed_checks   text[] not null,
  -- how often it woke the agent since a person acted, and since when it waits for a person
  wakes           int not null,
  handed_over_at  timestamptz(3),
  problem         text,
  by_kind         text not null check (by_kind in ('board', 'agent', 'system')),
  by_id           uuid,
  by_run_id       uuid,
  changed_at      timestamptz(3) not null,
  polled_at       timestamptz(3),
  -- The service that polls first sets the next time.
  poll_at         timestamptz(3) not null,
  created_at      timestamptz(3) not null,
  unique (company_id, id),
  check (state <> 'open' or (number is not null and url is not null)),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, repository_id) references repositories (company_id, id)
);
create unique index pull_requests_one_open on pull_requests (issue_id, repository_id) where state in ('opening', 'open');
create index pull_requests_by_issue on pull_requests (issue_id, id);
create index pull_requests_due on pull_requests (poll_at) where state in ('opening', 'open');
create index pull_requests_handed_over on pull_requests (company_id) where handed_over_at is not null;
create index pull_requests_by_branch on pull_requests (repository_id, branch);

-- Notes at a host of which the agent was notified, by the host's id: each once.
create table host_notes (
  pull_request_id  uuid not null,
  company_id       uuid not null references companies,
  host_id          text not null,
  created_at       timestamptz(3) not null,
  primary key (pull_request_id, host_id),
  foreign key (company_id, pull_request_id) references pull_requests (company_id, id)
);
