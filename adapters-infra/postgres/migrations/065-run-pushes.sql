-- What a run has pushed to the service: all its pushes together have limits, over all services and their restarts.
create table run_pushes (
  run_id      uuid primary key,
  company_id  uuid not null references companies,
  pushes      int not null,
  -- as they were sent
  bytes       bigint not null
);
