-- What is deleted when it is old, found oldest first. What a hold cut off is needed when it is lifted.
create index wakes_ended_alone on wakes (ended_at)
  where run_id is null and end_reason not in ('agent_paused', 'company_paused', 'company_archived', 'company_not_active', 'budget_exhausted', 'project_budget_exhausted');
create index routine_runs_with_payload on routine_runs (id) where trigger_payload is not null;
create index board_tokens_sessions on board_tokens (ends_at) where kind = 'session';
create index sign_in_codes_by_expiry on sign_in_codes (expires_at);
