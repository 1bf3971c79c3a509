-- An issue is assigned to an agent or to a person.
alter table issues add column assignee_user_id uuid references board_users;
alter table issues add constraint issues_one_assignee check (assignee_agent_id is null or assignee_user_id is null);
create index issues_by_person on issues (assignee_user_id, company_id, status, (-priority_rank), last_activity_at, id) where assignee_user_id is not null;

-- Who watches which issue, and until when they have seen what happened on it.
create table issue_watchers (
  company_id      uuid not null,
  issue_id        uuid not null,
  user_id         uuid not null references board_users,
  watching_since  timestamptz(3) not null,
  seen_at         timestamptz(3) not null,
  primary key (issue_id, user_id),
  foreign key (company_id, issue_id) references issues (company_id, id)
);
create index issue_watchers_by_person on issue_watchers (user_id, company_id);

-- What is news about an issue, without a walk over all else that is logged of it.
create index activity_issue_news on activity (entity_id, created_at) where action in ('issue.created', 'issue.assigned', 'issue.status_changed', 'issue.comment_added');
