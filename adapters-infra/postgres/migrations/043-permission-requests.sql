-- What a program asks before it uses a tool: the service alone makes cards of this kind.
alter table interactions
  drop constraint interactions_kind_check,
  add constraint interactions_kind_check
    check (kind in ('suggest_tasks', 'ask_user_questions', 'request_confirmation', 'request_permission')) not valid;
-- Those that a run waits for.
create index interactions_pending_of_run on interactions (source_run_id)
  where status = 'pending' and kind = 'request_permission';
