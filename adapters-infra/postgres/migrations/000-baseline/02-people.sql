-- The people who operate companies.
create table board_users (
  id           uuid primary key,
  name         text not null,
  -- Is an owner of every company, and manages users and adapters.
  is_admin     boolean not null default false,
  disabled_at  timestamptz(3),
  created_at   timestamptz(3) not null
);
-- Instance admins are listed with the people of each company.
create index board_users_admins on board_users (id) where is_admin;

-- The role of a person in a company.
create table memberships (
  company_id  uuid not null references companies,
  user_id     uuid not null references board_users,
  role        text not null check (role in ('owner', 'operator', 'viewer')),
  -- the sign-in provider whose groups give the role; null: people have given it
  provider    text,
  created_at  timestamptz(3) not null,
  primary key (user_id, company_id)
);
create index memberships_by_company on memberships (company_id);

-- Credentials of people: tokens for programs, and the sessions of browsers. Only hashes are stored.
create table board_tokens (
  id            uuid primary key,
  user_id       uuid not null references board_users,
  kind          text not null check (kind in ('token', 'session')),
  name          text not null,
  hash          bytea not null constraint board_tokens_hash_key unique,
  expires_at    timestamptz(3),
  last_used_at  timestamptz(3),
  revoked_at    timestamptz(3),
  -- of a session: the browser that began it, and where it was last used from
  device        text,
  -- of a session: the sign-in provider at which it began
  provider      text,
  address       text,
  -- of a session: when its person last verified themselves with a passkey
  verified_at   timestamptz(3),
  -- When a session ends even while it is used; `expires_at` moves on with each use.
  ends_at       timestamptz(3),
  created_at    timestamptz(3) not null,
  constraint board_tokens_sessions_end check (kind <> 'session' or (expires_at is not null and ends_at is not null))
);
create index board_tokens_by_user on board_tokens (user_id, id) where kind = 'token';
create index board_tokens_sessions on board_tokens (ends_at) where kind = 'session';
create index board_tokens_sessions_of_user on board_tokens (user_id, id) where kind = 'session';

-- Codes of one-time links. Only hashes are stored. A code stays after its use, so that a second use is recognised.
create table sign_in_codes (
  id             uuid primary key,
  user_id        uuid not null references board_users,
  purpose        text not null check (purpose in ('start', 'open', 'invitation')),
  hash           bytea not null constraint sign_in_codes_hash_key unique,
  expires_at     timestamptz(3) not null,
  used_at        timestamptz(3),
  revoked_at     timestamptz(3),
  reuses         integer not null default 0,
  last_reuse_at  timestamptz(3),
  -- of the session that the link begins
  session_name   text not null,
  -- The session ends then at the latest: with the session or token that made the link.
  latest         timestamptz(3),
  created_at     timestamptz(3) not null
);
create index sign_in_codes_by_user on sign_in_codes (user_id, id);
create index sign_in_codes_by_expiry on sign_in_codes (expires_at);

-- An email address under which a person is invited, and is recognised by a provider that has verified it.
create table invited_addresses (
  user_id     uuid primary key references board_users,
  address     text not null,
  created_at  timestamptz(3) not null
);
create index invited_addresses_by_address on invited_addresses (address);

-- Accounts of people at sign-in providers.
create table identities (
  issuer      text not null,
  subject     text not null,
  user_id     uuid not null references board_users,
  -- the sign-in provider of the settings at which the person last signed in
  provider    text,
  -- its refresh token, which reads the groups of the person again; null: it gave none
  sealed      bytea,
  -- when it was last asked for the groups
  checked_at  timestamptz(3),
  created_at  timestamptz(3) not null,
  primary key (issuer, subject)
);
create index identities_by_check on identities (checked_at) where sealed is not null;
create index identities_by_user on identities (user_id);

-- Sign-ins of people, and those that were refused, for a person to look over.
create table sign_ins (
  id          uuid primary key,
  user_id     uuid not null references board_users,
  method      text not null check (method in ('token', 'link', 'invitation', 'provider', 'passkey')),
  -- the code of the refusal; null: signed in
  refusal     text,
  device      text,
  address     text,
  new_device  boolean not null,
  created_at  timestamptz(3) not null
);
create index sign_ins_by_user on sign_ins (user_id, id desc);

-- Passkeys of people: the public keys of their authenticators.
create table passkeys (
  id             uuid primary key,
  user_id        uuid not null references board_users,
  name           text not null,
  -- as the authenticator names it
  credential_id  bytea not null constraint passkeys_credential_id_key unique,
  -- in COSE
  public_key     bytea not null,
  -- of signatures; zero in passkeys that are synchronized between devices
  counter        bigint not null,
  last_used_at   timestamptz(3),
  created_at     timestamptz(3) not null
);
create index passkeys_by_user on passkeys (user_id, id);

-- Challenges that were answered: each works once. A row goes when its challenge has expired.
create table used_challenges (
  challenge   bytea primary key,
  expires_at  timestamptz(3) not null
);
create index used_challenges_by_expiry on used_challenges (expires_at);

-- Clients of OAuth that registered themselves: programs that people may let act for them.
create table oauth_clients (
  id             uuid primary key,
  -- as the client names itself
  name           text not null,
  redirect_uris  text[] not null,
  created_at     timestamptz(3) not null
);
create index oauth_clients_by_time on oauth_clients (created_at, id);

-- Assistants: clients that a person has allowed to act with their rights, within scopes. Only hashes are stored.
create table assistants (
  id                 uuid primary key,
  user_id            uuid not null references board_users,
  -- the id of a registration, or the address of the client's document
  client_id          text not null,
  name               text not null,
  -- where the person was sent back to
  host               text not null,
  scopes             text[] not null,
  -- of the authorization, which the client exchanges once
  code_hash          bytea not null constraint assistants_code_hash_key unique,
  code_challenge     text not null,
  code_redirect_uri  text not null,
  code_expires_at    timestamptz(3) not null,
  code_used_at       timestamptz(3),
  last_used_at       timestamptz(3),
  -- with its code or its last refresh token
  expires_at         timestamptz(3) not null,
  created_at         timestamptz(3) not null
);
create index assistants_by_user on assistants (user_id, id);
create index assistants_by_client on assistants (client_id);
create index assistants_by_expiry on assistants (expires_at);

-- Tokens of assistants. A refresh token stays after its use, so that a second use is recognised.
create table assistant_tokens (
  hash          bytea primary key,
  assistant_id  uuid not null references assistants on delete cascade,
  kind          text not null check (kind in ('access', 'refresh')),
  scopes        text[] not null,
  used_at       timestamptz(3),
  expires_at    timestamptz(3) not null,
  created_at    timestamptz(3) not null
);
create index assistant_tokens_by_assistant on assistant_tokens (assistant_id);
create index assistant_tokens_by_expiry on assistant_tokens (expires_at);

-- Where people get email.
create table email_addresses (
  user_id       uuid primary key references board_users,
  -- null: the person has removed it, and no sign-in provider sets it again
  address       text,
  -- the sign-in provider that has verified it; null: the person has confirmed it by a link
  provider      text,
  confirmed_at  timestamptz(3),
  constraint email_addresses_confirmed check ((address is null) = (confirmed_at is null))
);

-- Links that confirm an email address. Only hashes are stored.
create table email_confirmations (
  id          uuid primary key,
  user_id     uuid not null references board_users,
  address     text not null,
  hash        bytea not null constraint email_confirmations_hash_key unique,
  expires_at  timestamptz(3) not null,
  -- used, or replaced by another one
  ended_at    timestamptz(3),
  created_at  timestamptz(3) not null
);
create index email_confirmations_by_user on email_confirmations (user_id, created_at);
create index email_confirmations_by_address on email_confirmations (lower(address), created_at);
create index email_confirmations_by_age on email_confirmations (created_at);
