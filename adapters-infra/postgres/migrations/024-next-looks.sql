-- Whether a run of an agent without an issue was followed by another is asked for each that failed.
create index runs_without_issue on runs (agent_id, id desc) where issue_id is null;
-- The next ticks of a company, over all its routines.
create index routine_triggers_next on routine_triggers (company_id, next_fire_at, id) where next_fire_at is not null;
