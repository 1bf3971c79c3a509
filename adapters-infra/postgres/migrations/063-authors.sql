-- Who commits of a repository are by, and the branches of its pull requests; null: as usual.
alter table repositories
  add column author_name     text,
  add column author_email    text,
  add column branch_pattern  text;

-- no two issues have a pull request from one branch
create index pull_requests_by_branch on pull_requests (repository_id, branch);
