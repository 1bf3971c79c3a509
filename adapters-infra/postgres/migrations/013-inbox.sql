-- What a board user has put aside, in the version that they saw.
create table inbox_dismissals (
  user_id       uuid not null references board_users,
  company_id    uuid not null references companies,
  entry_id      text not null,
  version       text not null,
  dismissed_at  timestamptz(3) not null,
  primary key (user_id, entry_id)
);

-- What waits for people is found by its company, without a walk over what is done.
create index interactions_waiting on interactions (company_id, created_at) where status = 'pending';
create index runs_failed on runs (company_id, finished_at) where status in ('failed', 'timed_out', 'interrupted');
create index activity_ticks_missed on activity (company_id, created_at) where action = 'routine.ticks_missed';
