-- What must be true before an issue of a project is done.
create table project_gates (
  project_id         uuid not null,
  company_id         uuid not null references companies,
  position           int not null,
  name               text not null,
  kind               text not null check (kind in ('clean', 'published', 'review')),
  -- of a review: one of them
  reviewer_agent_id  uuid,
  reviewer_user_id   uuid references board_users,
  primary key (project_id, position),
  unique (project_id, name),
  check (num_nonnulls(reviewer_agent_id, reviewer_user_id) = case kind when 'review' then 1 else 0 end),
  foreign key (company_id, project_id) references projects (company_id, id),
  foreign key (company_id, reviewer_agent_id) references agents (company_id, id)
);

-- The last review of an issue by each reviewer, of the heads that its branches had.
create table issue_reviews (
  issue_id    uuid not null,
  company_id  uuid not null references companies,
  agent_id    uuid,
  user_id     uuid references board_users,
  verdict     text not null check (verdict in ('approved', 'changes_requested')),
  note        text,
  commits     text[] not null,
  created_at  timestamptz(3) not null,
  unique nulls not distinct (issue_id, agent_id, user_id),
  check (num_nonnulls(agent_id, user_id) = 1),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id)
);

-- when it was done with all gates of its project met; null: it is done by somebody's word
alter table issues add column verified_at timestamptz(3);
