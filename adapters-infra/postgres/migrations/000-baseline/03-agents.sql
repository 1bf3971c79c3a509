-- Identifies the account at a provider whose usage limits an agent's runs share, as a hash of the variables that sign its
-- program in. Agents without such variables use the sign-in in their home folder, and each company and runner has homes of its
-- own: both are part of the hash, or a used-up account of one company would stop the runs of another.
create function account_of(company_id uuid, runtime_config jsonb, adapter_config jsonb)
returns text language plpgsql immutable parallel safe as $$
declare
  signs_in jsonb;
begin
  if jsonb_typeof(adapter_config -> 'env') = 'object' then
    select jsonb_object_agg(name, value)
    into   signs_in
    from   jsonb_each(adapter_config -> 'env') as variables (name, value)
    where  name ~* '(key|token|secret|passw|auth|credential|profile|config_dir|base_url|_home|^home$|^userprofile$)';
  end if;
  return encode(
    sha256(
      convert_to(
        jsonb_build_array(company_id, runtime_config -> 'runner', coalesce(signs_in, '{}'))::text,
        'UTF8'
      )
    ),
    'hex'
  );
end
$$;

-- Those who do the work. Their status is derived, never stored.
create table agents (
  id                    uuid primary key,
  company_id            uuid not null references companies,
  name                  text not null,
  -- Names the agent in addresses and mentions; free again once the agent is terminated.
  url_key               text not null,
  role                  text not null,
  title                 text,
  reports_to            uuid,
  capabilities          text,
  lifecycle_state       text not null check (lifecycle_state in ('active', 'pending_approval', 'terminated')),
  -- When a person, and its monthly budget, stopped it; null: not.
  held_manually_at      timestamptz(3),
  held_by_budget_at     timestamptz(3),
  -- Why its last run failed; null: it did not.
  error_reason          text,
  adapter_type          text not null,
  adapter_config        jsonb not null,
  runtime_config        jsonb not null,
  metadata              jsonb,
  budget_monthly_cents  bigint not null default 0,
  last_heartbeat_at     timestamptz(3),
  -- The next wake by its timer.
  next_timer_at         timestamptz(3),
  -- The volume with its files, for runs of the runner `local`; null: that of the host where the next run starts.
  volume                text,
  volume_since          timestamptz(3),
  -- Paths of the service's host that an instance admin shows to the agent: [{ path, real, access }].
  granted_paths         jsonb not null default '[]',
  account               text not null generated always as (account_of(company_id, runtime_config, adapter_config)) stored,
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, reports_to) references agents (company_id, id)
);
create unique index agents_url_key_key on agents (company_id, url_key) where lifecycle_state <> 'terminated';
create index agents_by_timer on agents (next_timer_at) where next_timer_at is not null and lifecycle_state = 'active';
create index agents_held_by_budget on agents (held_by_budget_at) where held_by_budget_at is not null;
create index agents_by_volume on agents (volume) where volume is not null;

-- Credentials of agents that call from outside a run. Only hashes are stored.
create table agent_keys (
  id            uuid primary key,
  company_id    uuid not null,
  agent_id      uuid not null,
  name          text not null,
  hash          bytea not null constraint agent_keys_hash_key unique,
  last_used_at  timestamptz(3),
  revoked_at    timestamptz(3),
  created_at    timestamptz(3) not null,
  foreign key (company_id, agent_id) references agents (company_id, id)
);
create index agent_keys_by_agent on agent_keys (agent_id, id);

-- Each change of an agent's configuration. Only inserted.
create table agent_config_revisions (
  id                            uuid primary key,
  company_id                    uuid not null,
  agent_id                      uuid not null,
  source                        text not null check (source in ('create', 'patch', 'rollback')),
  rolled_back_from_revision_id  uuid,
  changed_keys                  text[] not null,
  before_config                 jsonb,
  after_config                  jsonb not null,
  created_by_agent_id           uuid,
  created_by_user_id            uuid,
  created_at                    timestamptz(3) not null,
  foreign key (company_id, agent_id) references agents (company_id, id)
);
create index agent_config_revisions_by_agent on agent_config_revisions (agent_id, id desc);

-- No run of an adapter with an account starts before that time, because the provider's limit is used up.
create table account_holds (
  adapter_type  text not null,
  account_key   text not null,
  not_before    timestamptz(3) not null,
  -- the run that reported it
  run_id        uuid not null,
  created_at    timestamptz(3) not null,
  primary key (adapter_type, account_key)
);

-- How much of a provider's limits an account has used, as programs of agents reported it last.
create table usage_windows (
  adapter_type    text not null,
  account_key     text not null,
  name            text not null,
  -- null: the program does not report it
  status          text check (status in ('allowed', 'warning', 'rejected')),
  used_percent    double precision,
  window_minutes  integer,
  resets_at       timestamptz(3),
  run_id          uuid not null,
  reported_at     timestamptz(3) not null,
  primary key (adapter_type, account_key, name)
);
