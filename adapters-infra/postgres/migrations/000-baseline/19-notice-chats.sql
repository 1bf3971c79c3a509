-- The chat of each person for notices.
create table notice_chats (
  user_id       uuid primary key references board_users,
  format        text not null check (format in ('slack', 'discord', 'teams', 'mattermost')),
  -- the host alone
  url           text not null,
  -- the address of its incoming webhook
  sealed        bytea not null,
  created_at    timestamptz(3) not null,
  -- when the chat last accepted a notice
  last_used_at  timestamptz(3),
  -- of the last notice; null: it was accepted
  last_error    text
);
