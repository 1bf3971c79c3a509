-- A key for the secret values of each company, and one (company null) from which the service derives its own keys; encrypted
-- with the master key whose fingerprint is `wrapped_by`.
create table data_keys (
  company_id  uuid references companies,
  wrapped     bytea not null,
  wrapped_by  text not null,
  created_at  timestamptz(3) not null,
  constraint data_keys_company_key unique nulls not distinct (company_id)
);

-- Configurations of secret providers.
create table vaults (
  id                   uuid primary key,
  company_id           uuid not null references companies,
  provider             text not null
    check (provider in ('local_encrypted', 'cloud_a_secrets_manager', 'cloud_b_secret_manager', 'external_vault')),
  display_name         text not null,
  status               text not null check (status in ('ready', 'warning', 'error', 'coming_soon', 'disabled')),
  is_default           boolean not null default false,
  config               jsonb not null default '{}',
  health_status        text,
  health_checked_at    timestamptz(3),
  health_message       text,
  health_details       jsonb,
  disabled_at          timestamptz(3),
  created_by_agent_id  uuid,
  created_by_user_id   uuid,
  created_at           timestamptz(3) not null,
  updated_at           timestamptz(3) not null,
  unique (company_id, id),
  check (not is_default or status not in ('coming_soon', 'disabled'))
);
create unique index vaults_one_default on vaults (company_id, provider) where is_default;

-- Named values of a company, stored by a provider.
create table secrets (
  id                   uuid primary key,
  company_id           uuid not null references companies,
  key                  text not null,
  name                 text not null,
  description          text,
  provider             text not null,
  vault_id             uuid,
  managed_mode         text not null check (managed_mode in ('service_managed', 'external_reference')),
  status               text not null check (status in ('active', 'disabled')),
  -- as it was entered, and in canonical form
  external_ref         text,
  canonical_ref        text,
  provider_metadata    jsonb,
  latest_version       integer not null check (latest_version > 0),
  last_resolved_at     timestamptz(3),
  last_rotated_at      timestamptz(3),
  created_by_agent_id  uuid,
  created_by_user_id   uuid,
  created_at           timestamptz(3) not null,
  updated_at           timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, vault_id) references vaults (company_id, id),
  check ((managed_mode = 'external_reference') = (external_ref is not null)),
  check ((external_ref is null) = (canonical_ref is null))
);
create unique index secrets_key_key on secrets (company_id, key);
create unique index secrets_name_key on secrets (company_id, (lower(name collate "und-x-icu") collate "C"));
create unique index secrets_reference_key on secrets (company_id, provider, vault_id, canonical_ref) nulls not distinct
  where canonical_ref is not null;

-- The values of a secret: ciphertext, or a reference to a value at its provider.
create table secret_versions (
  id                    uuid not null unique,
  secret_id             uuid not null,
  company_id            uuid not null,
  version               integer not null,
  vault_id              uuid,
  sealed                bytea,
  external_ref          text,
  provider_version_ref  text,
  -- hash of a reference, never of a value
  fingerprint           text,
  -- The value has too few characters to be masked in the output of runs; null: it was not read yet.
  is_short              boolean,
  created_by_agent_id   uuid,
  created_by_user_id    uuid,
  -- No run gets it since then.
  disabled_at           timestamptz(3),
  created_at            timestamptz(3) not null,
  primary key (secret_id, version),
  foreign key (company_id, secret_id) references secrets (company_id, id),
  foreign key (company_id, vault_id) references vaults (company_id, id),
  check ((sealed is null) <> (external_ref is null))
);
create index secret_versions_by_reference on secret_versions (external_ref) where external_ref is not null;

-- The secrets that an agent's configuration refers to, written with each change of it.
create table secret_bindings (
  agent_id     uuid not null,
  config_path  text not null,
  company_id   uuid not null,
  secret_id    uuid not null,
  -- null: the latest
  version      integer,
  primary key (agent_id, config_path),
  foreign key (company_id, agent_id) references agents (company_id, id),
  foreign key (company_id, secret_id) references secrets (company_id, id)
);
create index secret_bindings_by_secret on secret_bindings (secret_id, agent_id);

-- Each reading of a value for a run.
create table secret_access_events (
  id           uuid primary key,
  company_id   uuid not null,
  secret_id    uuid not null,
  version      integer,
  provider     text not null,
  agent_id     uuid not null,
  config_path  text not null,
  issue_id     uuid,
  run_id       uuid not null,
  outcome      text not null check (outcome in ('success', 'failure')),
  error_code   text,
  created_at   timestamptz(3) not null,
  foreign key (company_id, secret_id) references secrets (company_id, id)
);
create index secret_access_events_by_secret on secret_access_events (secret_id, id desc);

-- Servers of the Model Context Protocol whose tools a company gives to its agents' programs.
create table mcp_servers (
  id                  uuid primary key,
  company_id          uuid not null references companies,
  name                text not null,
  url                 text,
  command             text,
  args                text[] not null default '{}',
  -- by name: text, or a reference to a secret
  headers             jsonb not null default '{}',
  env                 jsonb not null default '{}',
  allow_private_host  boolean not null default false,
  -- the agents that get it
  all_agents          boolean not null default false,
  agent_ids           uuid[] not null default '{}',
  roles               text[] not null default '{}',
  -- as it listed them when it was tested
  tools               jsonb,
  tested_at           timestamptz(3),
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  check ((url is null) <> (command is null))
);
create unique index mcp_servers_name_key on mcp_servers (company_id, name);
