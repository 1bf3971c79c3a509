-- Workspaces of issues on the disks of hosts. A folder is a copy: what runs left is in the service's stores and in run_works.
create table trees (
  id             uuid primary key,
  company_id     uuid not null references companies,
  issue_id       uuid not null,
  -- the disk that has the folder
  volume         text not null,
  -- null: the issue's own, whose work is published; otherwise of a second agent on the issue
  agent_id       uuid,
  -- the run that has it, or had it last: while that is live no other run gets it
  run_id         uuid not null,
  -- the run whose kept work the files are, or began from; null: the base of the branch
  state_run_id   uuid,
  -- a run that may have written into it, and whose work is not kept yet
  unkept_run_id  uuid,
  -- why not: a sentence
  problem        text,
  -- the clones in the folder: [{ "repositoryId", "directory" }]
  clones         jsonb not null,
  -- null: there is no folder with files
  made_at        timestamptz(3),
  used_at        timestamptz(3) not null,
  created_at     timestamptz(3) not null,
  unique (company_id, id),
  unique nulls not distinct (issue_id, volume, agent_id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id)
);
create index trees_by_run on trees (run_id);
create index trees_by_unkept_run on trees (unkept_run_id) where unkept_run_id is not null;
create index trees_by_company on trees (company_id, id);

-- What a run left in a repository, kept by the service. It outlives the run's own row.
create table run_works (
  run_id         uuid not null,
  repository_id  uuid not null,
  company_id     uuid not null references companies,
  issue_id       uuid not null,
  tree_id        uuid not null,
  -- HEAD at the end, and a commit of all files that git does not ignore: the same, or on top of it
  head           text not null,
  files          text not null,
  -- the branch that was checked out; null: none
  branch         text,
  -- what git was in the middle of, such as rebase-merge
  state          text,
  -- what is not kept: [{ "path", "reason" }]
  left_out       jsonb not null,
  -- the thin pack in the blob store; null: it is not there yet
  blob_key       text,
  pack_bytes     bigint,
  kept_at        timestamptz(3) not null,
  primary key (run_id, repository_id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, repository_id) references repositories (company_id, id)
);
create index run_works_by_issue on run_works (issue_id, kept_at);
