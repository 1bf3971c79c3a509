-- When the events and the log of an ended run were deleted, as the operator's settings say.
alter table runs add column details_deleted_at timestamptz(3);
create index runs_with_details on runs (finished_at) where finished_at is not null and details_deleted_at is null;

-- The last event of each company that was deleted: a reader who continues before it has missed events.
create table deleted_events (
  company_id  uuid primary key references companies,
  xid         xid8 not null,
  position    bigint not null
);
