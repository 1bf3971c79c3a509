-- The CSRF token of a session is worked out from its id. A session is renewed as it is used, up to its end.
alter table board_tokens
  drop column csrf_hash,
  add column ends_at timestamptz(3);

update  board_tokens
set     ends_at = expires_at
where   kind = 'session';

alter table board_tokens
  add constraint board_tokens_sessions_end check (kind <> 'session' or (expires_at is not null and ends_at is not null));

-- Codes of one-time links. Only hashes are kept; a code that was used stays, so that a second use is recognised.
create table sign_in_codes (
  id            uuid primary key,
  user_id       uuid not null references board_users,
  purpose       text not null check (purpose in ('start', 'open', 'invitation')),
  hash          bytea not null constraint sign_in_codes_hash_key unique,
  created_at    timestamptz(3) not null,
  expires_at    timestamptz(3) not null,
  used_at       timestamptz(3),
  revoked_at    timestamptz(3),
  reuses        integer not null default 0,
  last_reuse_at timestamptz(3)
);
create index sign_in_codes_by_user on sign_in_codes (user_id, id);
