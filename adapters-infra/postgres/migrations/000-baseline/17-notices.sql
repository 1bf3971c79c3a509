-- Of each person: what they want to be told, and the work on their notices.
create table notice_people (
  user_id        uuid primary key references board_users,
  -- null: the defaults
  settings       jsonb,
  -- when the person last looked at an open page, and until when such a page will tell again
  seen_at        timestamptz(3),
  present_until  timestamptz(3),
  -- when the person last had a test notice sent
  tested_at      timestamptz(3),
  -- of the last digest
  digest_day     date,
  -- Whether something happened in a company of theirs, or with their sign-ins.
  has_news       boolean not null default false,
  due_at         timestamptz(3),
  -- the service that sends
  leased_by      uuid,
  lease_until    timestamptz(3)
);
create index notice_people_due on notice_people (due_at) where due_at is not null;
create index notice_people_with_news on notice_people (user_id) where has_news;
create index notice_people_leased on notice_people (lease_until) where leased_by is not null;

-- The last entry of the activity log that was looked at; null: none.
create table notice_cursors (
  company_id      uuid primary key references companies,
  after_xid       xid8,
  after_position  bigint not null default 0
);

-- What a person is told about one subject.
create table notices (
  id          uuid primary key,
  user_id     uuid not null references board_users,
  company_id  uuid references companies,
  -- the id of an entry of the inbox or of a sign-in, or 'digest'
  subject      text not null,
  version     text not null,
  kind        text not null check (
                kind in ('decision', 'mention', 'followed', 'run_failed', 'budget', 'sign_in', 'digest')
              ),
  noticed_at  timestamptz(3) not null,
  closed_at   timestamptz(3),
  -- by channel: its state, when it is due, failures, when it was sent
  sendings    jsonb not null,
  unique (user_id, subject)
);
create index notices_closed on notices (closed_at) where closed_at is not null;
