-- Browsers that show notices to a person.
create table push_subscriptions (
  id             uuid primary key,
  user_id        uuid not null references board_users,
  -- It ends with that session, unless the same browser signs the person in again.
  session_id     uuid not null references board_tokens,
  -- the SHA-256 of its address at the push service
  endpoint_hash  bytea not null constraint push_subscriptions_endpoint_hash_key unique,
  -- the address and the keys of the browser
  sealed         bytea not null,
  -- as the browser says
  expires_at     timestamptz(3),
  -- when the push service last accepted a message
  last_used_at   timestamptz(3),
  -- of the last message; null: it was accepted
  last_error     text,
  created_at     timestamptz(3) not null
);
create index push_subscriptions_by_user on push_subscriptions (user_id, id);
create index push_subscriptions_by_session on push_subscriptions (session_id);

-- Which version of a notice a browser has.
create table push_deliveries (
  notice_id        uuid not null references notices on delete cascade,
  subscription_id  uuid not null references push_subscriptions on delete cascade,
  version          text not null,
  primary key (notice_id, subscription_id)
);
create index push_deliveries_by_subscription on push_deliveries (subscription_id);
