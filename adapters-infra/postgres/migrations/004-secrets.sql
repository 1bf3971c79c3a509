-- Custody ------------------------------------------------------------------------------------------------------

-- One key for each company's values, and one (company null) that the service's own keys come from. Wrapped by the master
-- key of the fingerprint beside it.
create table data_keys (
  company_id  uuid references companies,
  wrapped     bytea not null,
  wrapped_by  text not null,
  created_at  timestamptz(3) not null,
  constraint data_keys_company_key unique nulls not distinct (company_id)
);

-- Vaults -------------------------------------------------------------------------------------------------------

create table vaults (
  id                   uuid primary key,
  company_id           uuid not null references companies,
  provider             text not null check (provider in ('local_encrypted', 'cloud_a_secrets_manager', 'cloud_b_secret_manager', 'external_vault')),
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
create index vaults_by_company on vaults (company_id, id desc);
create unique index vaults_one_default on vaults (company_id, provider) where is_default;

-- Secrets ------------------------------------------------------------------------------------------------------

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
  -- as it was given, and in the one way that all ways of writing it come down to
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
create unique index secrets_name_key on secrets (company_id, lower(name));
create unique index secrets_reference_key on secrets (company_id, provider, vault_id, canonical_ref) nulls not distinct where canonical_ref is not null;
create index secrets_by_company on secrets (company_id, id desc);

-- A value is here only as ciphertext, or not at all: then it is where reference and version lead.
create table secret_versions (
  id                    uuid not null unique,
  secret_id             uuid not null,
  company_id            uuid not null,
  version               integer not null,
  vault_id              uuid,
  sealed                bytea,
  external_ref          text,
  provider_version_ref  text,
  -- of a reference, never of a value
  fingerprint           text,
  -- the value has too few characters to be masked in what runs say; null: nobody has seen it
  is_short              boolean,
  created_by_agent_id   uuid,
  created_by_user_id    uuid,
  created_at            timestamptz(3) not null,
  primary key (secret_id, version),
  foreign key (company_id, secret_id) references secrets (company_id, id),
  foreign key (company_id, vault_id) references vaults (company_id, id),
  check ((sealed is null) <> (external_ref is null))
);

-- Which agent's configuration refers to which secret; kept in step with every save of it.
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
create index secret_versions_by_reference on secret_versions (external_ref) where external_ref is not null;
create index secret_bindings_by_secret on secret_bindings (secret_id, agent_id);

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
