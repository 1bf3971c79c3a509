-- A version that is disabled is given to no run.
alter table secret_versions add column disabled_at timestamptz(3);
