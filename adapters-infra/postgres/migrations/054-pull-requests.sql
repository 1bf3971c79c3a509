-- Pull requests of issues' work at the hosts of repositories.
alter table repositories add column host_kind text check (host_kind in ('github', 'gitlab', 'gitea', 'forgejo'));
-- where its interface is; null: where hosts of that kind have it
alter table repositories add column host_api_url text;
-- a pull request that is merged at the host makes its issue done
alter table repositories add column closes_issues boolean not null default false;
alter table repositories add column webhook_secret_id uuid references secrets on delete set null;
create index repositories_by_webhook_secret on repositories (webhook_secret_id) where webhook_secret_id is not null;

create table pull_requests (
  id              uuid primary key,
  company_id      uuid not null references companies,
  issue_id        uuid not null,
  repository_id   uuid not null,
  branch          text not null,
  into_branch     text not null,
  title           text not null,
  body            text not null,
  -- opening: the host may have it already, and is asked
  state           text not null check (state in ('opening', 'open', 'merged', 'closed')),
  number          int,
  url             text check (url ~ '^https?://'),
  -- what the service pushed last, and where the issue's own work began then
  head            text,
  base_commit     text,
  -- what the host said last of the checks of checks_commit
  checks          text not null check (checks in ('none', 'pending', 'passed', 'failed')),
  checks_commit   text,
  failed_checks   text[] not null,
  -- how often it woke the agent since a person acted, and since when it waits for one
  wakes           int not null,
  handed_over_at  timestamptz(3),
  problem         text,
  by_kind         text not null check (by_kind in ('board', 'agent', 'system')),
  by_id           uuid,
  by_run_id       uuid,
  changed_at      timestamptz(3) not null,
  polled_at       timestamptz(3),
  -- a service that polls moves it on first
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

-- What the agent was told of a pull request, once each, by the host's id.
create table host_notes (
  pull_request_id  uuid not null,
  company_id       uuid not null references companies,
  host_id          text not null,
  created_at       timestamptz(3) not null,
  primary key (pull_request_id, host_id),
  foreign key (company_id, pull_request_id) references pull_requests (company_id, id)
);

-- work that people merged at the host
alter table merges drop constraint merges_method_check;
alter table merges add constraint merges_method_check
  check (method in ('fast_forward', 'merge', 'squash', 'pull_request'));

-- a gate on the checks of the pull request
alter table project_gates drop constraint project_gates_kind_check;
alter table project_gates add constraint project_gates_kind_check
  check (kind in ('clean', 'published', 'checks', 'review'));
