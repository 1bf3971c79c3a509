-- What the latest firings of a routine came to, those left out that were joined with another.
create index routine_runs_by_result on routine_runs (routine_id, id desc) where status in ('issue_created', 'failed');
