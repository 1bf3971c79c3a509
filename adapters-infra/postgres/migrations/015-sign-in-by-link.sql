-- A session that begins by a link ends with what the link was made by.
alter table sign_in_codes
  add column session_name text not null,
  add column latest timestamptz(3);
