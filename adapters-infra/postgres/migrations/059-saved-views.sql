-- A list of issues that a person has given a name: what the address of the page says of it.
create table saved_views (
  id          uuid primary key,
  company_id  uuid not null references companies,
  user_id     uuid not null references board_users,
  name        text not null,
  query       text not null,
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null
);
create unique index saved_views_of_person on saved_views (user_id, company_id, lower(name));

-- Issues by who created them, for each order of a list.
create index issues_by_creating_agent on issues (created_by_agent_id, status, (-priority_rank), last_activity_at, id)
  where created_by_agent_id is not null;
create index issues_by_creating_person on issues (created_by_user_id, company_id, status, (-priority_rank), last_activity_at, id)
  where created_by_user_id is not null;
