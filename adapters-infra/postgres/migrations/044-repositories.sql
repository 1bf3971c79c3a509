-- Repositories of projects. The service holds each in two stores on its disk; agents never get the credential.
create table repositories (
  id                    uuid primary key,
  company_id            uuid not null references companies,
  project_id            uuid not null,
  -- http or https, without a user part
  url                   text not null,
  default_branch        text not null,
  credential_secret_id  uuid,
  -- where it is laid out in a workspace; null: the workspace itself
  directory             text,
  mode                  text not null check (mode in ('issue', 'shared')),
  allow_private_host    boolean not null default false,
  checked_at            timestamptz(3) not null,
  -- what was wrong with the host then, a sentence
  problem               text,
  removed_at            timestamptz(3),
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, project_id) references projects (company_id, id),
  foreign key (company_id, credential_secret_id) references secrets (company_id, id) on delete set null (credential_secret_id)
);
create index repositories_by_project on repositories (project_id, id) where removed_at is null;
create index repositories_by_secret on repositories (credential_secret_id) where credential_secret_id is not null;

-- The work of an issue in a repository: the truth of which a workspace is a copy.
create table issue_branches (
  issue_id       uuid not null,
  repository_id  uuid not null,
  company_id     uuid not null references companies,
  -- boardroom/ABC-1
  branch         text not null,
  -- where it began: the default branch, or the branch of the parent issue
  base_branch    text not null,
  base_commit    text not null,
  -- the last head that a run of its holder left; null: none yet
  head           text,
  -- the run that left the newest kept state
  kept_run_id    uuid,
  published_at   timestamptz(3),
  merged_at      timestamptz(3),
  merge_commit   text,
  given_up_at    timestamptz(3),
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  primary key (issue_id, repository_id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, repository_id) references repositories (company_id, id)
);
create index issue_branches_by_repository on issue_branches (repository_id);
