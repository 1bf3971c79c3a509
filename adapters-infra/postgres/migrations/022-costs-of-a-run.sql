-- All costs of a run, for agents that have a cap for each run.
create index cost_events_by_run on cost_events (run_id) include (cost_cents) where run_id is not null;
