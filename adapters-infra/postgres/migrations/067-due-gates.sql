-- New work on a done issue, whose gates are checked again.
alter table gate_checks add column is_due boolean not null default false;
create index gate_checks_to_run on gate_checks (issue_id) where is_due or state = 'running';
create index project_gates_with_command on project_gates (project_id) where kind = 'command';
