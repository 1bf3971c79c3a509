-- Folders of workspaces that nobody has used for long: the sweep of a volume reads these.
create index trees_idle on trees (volume, used_at) where made_at is not null and unkept_run_id is null;

-- Done issues that met their gates.
create index issues_verified on issues (company_id, id) where verified_at is not null;
