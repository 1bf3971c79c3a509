-- Gates of a single issue, in place of those of its project.
create table issue_gates (
  issue_id           uuid not null,
  company_id         uuid not null references companies,
  position           int not null,
  name               text not null,
  kind               text not null check (kind in ('clean', 'published', 'command', 'checks', 'review')),
  -- of a review: one of them
  reviewer_agent_id  uuid,
  reviewer_user_id   uuid references board_users,
  -- of a command
  command            text,
  timeout_sec        int,
  max_wakes          int,
  primary key (issue_id, position),
  unique (issue_id, name),
  check (num_nonnulls(reviewer_agent_id, reviewer_user_id) = case kind when 'review' then 1 else 0 end),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, reviewer_agent_id) references agents (company_id, id)
);

-- its list in issue_gates counts, which may be empty; false: that of its project
alter table issues add column has_own_gates boolean not null default false;
create index issues_open_with_own_gates on issues (id) where has_own_gates and status not in ('done', 'cancelled');
