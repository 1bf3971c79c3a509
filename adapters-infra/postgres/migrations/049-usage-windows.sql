-- How much of a provider's windows an account has used, as its agents' programs reported it last.
create table usage_windows (
  adapter_type    text not null,
  account_key     text not null,
  name            text not null,
  -- null: the program does not tell it
  status          text check (status in ('allowed', 'warning', 'rejected')),
  used_percent    double precision,
  window_minutes  integer,
  resets_at       timestamptz(3),
  run_id          uuid not null,
  reported_at     timestamptz(3) not null,
  primary key (adapter_type, account_key, name)
);
