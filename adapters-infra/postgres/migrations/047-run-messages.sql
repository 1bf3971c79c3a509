-- What people say to a run while it works.
create table run_messages (
  id              uuid primary key,
  company_id      uuid not null references companies,
  run_id          uuid not null,
  agent_id        uuid not null,
  issue_id        uuid,
  -- the text; null: that of the comment
  body            text,
  comment_id      uuid references comments,
  author_user_id  uuid references board_users,
  state           text not null check (state in ('sent', 'queued', 'injected', 'new_run')),
  -- when the service gave it to the run's adapter
  handed_at       timestamptz(3),
  -- when the run's program had it, or when the next run took it up
  delivered_at    timestamptz(3),
  -- the run that took it up in its prompt
  next_run_id     uuid,
  created_at      timestamptz(3) not null,
  foreign key (company_id, run_id) references runs (company_id, id),
  foreign key (company_id, next_run_id) references runs (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  check ((body is null) = (comment_id is not null))
);
create index run_messages_by_run on run_messages (run_id, id);
-- Those that the next run of the agent and issue takes up.
create index run_messages_left on run_messages (agent_id, issue_id) where state = 'new_run';
create index run_messages_by_next_run on run_messages (next_run_id) where next_run_id is not null;

-- Whether the program of the run takes messages, and an end of its turn that keeps its session.
alter table runs
  add column takes_messages boolean not null default false,
  add column takes_interrupt boolean not null default false;
