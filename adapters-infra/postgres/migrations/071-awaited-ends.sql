-- Since when the issue's last run has ended while its gates are judged: their verdict decides whether another run follows.
-- A checkout or another status ends the wait.
alter table issues add column awaits_gates_since timestamptz(3)
  check (awaits_gates_since is null or (status = 'in_progress' and checkout_run_id is null));
create index issues_awaiting_gates on issues (awaits_gates_since) where awaits_gates_since is not null;

-- A run asked that its issue be done, and was refused because gates are judged only after its end. The service asks again
-- then, with the same comment.
create table done_requests (
  issue_id    uuid primary key,
  company_id  uuid not null references companies,
  agent_id    uuid not null,
  run_id      uuid not null,
  comment     text,
  created_at  timestamptz(3) not null,
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id)
);
