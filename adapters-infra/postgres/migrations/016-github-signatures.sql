-- GitHub's way to sign is a third one.
alter table routine_triggers
  drop constraint routine_triggers_signing_mode_check,
  add constraint routine_triggers_signing_mode_check check (signing_mode in ('bearer', 'hmac_sha256', 'github_sha256'));
