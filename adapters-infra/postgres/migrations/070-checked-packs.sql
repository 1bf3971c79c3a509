-- Earlier versions could store packs of runs that end after their first line. Each is looked at once; new ones are whole.
alter table run_works add column pack_checked_at timestamptz(3);
-- why it cannot be used, a sentence; null: it can, or nobody has looked
alter table run_works add column pack_problem text;
create index run_works_unchecked on run_works (run_id, repository_id) where blob_key is not null and pack_checked_at is null;
create index run_works_by_pack_problem on run_works (run_id, repository_id) where pack_problem is not null;
