-- Whether a service lives is known at once on its own machine: by its process, not by its lease.
alter table services add column process_started_at text;

-- Where its processes are. Services elsewhere end the row when the lease does, and touch no process.
alter table runs add column host text;
-- Held by the loop breaker since then, until a person does something about the issue.
alter table runs add column held_since timestamptz(3);

create index runs_held on runs (held_since) where status = 'queued' and held_since is not null;
create index runs_started_by_issue on runs (issue_id, started_at) where started_at is not null;
create index runs_started_by_agent on runs (agent_id, started_at) where started_at is not null;
create index runs_started_by_company on runs (company_id, started_at) where started_at is not null;
create index runs_by_retried on runs (retry_of_run_id) where retry_of_run_id is not null;
create index wakes_by_people on wakes (created_at) where by_kind = 'board';

-- Whose quota an agent uses up: of the variables that say as whom its program signs in. Agents that set none of them
-- share the sign-in of the machine. Kept as a hash only.
create function account_key(config jsonb) returns text language plpgsql immutable parallel safe as $$
declare
  signs_in jsonb;
begin
  if jsonb_typeof(config -> 'env') = 'object' then
    select jsonb_object_agg(name, value)
    into   signs_in
    from   jsonb_each(config -> 'env') as variables (name, value)
    where  name ~* '(key|token|secret|passw|auth|credential|profile|config_dir|base_url|_home)';
  end if;
  return encode(sha256(convert_to(coalesce(signs_in, '{}')::text, 'UTF8')), 'hex');
end
$$;

alter table agents add column account_key text not null generated always as (account_key(adapter_config)) stored;

-- No run of that adapter and account before that time: a provider said so.
create table account_holds (
  adapter_type  text not null,
  account_key   text not null,
  not_before    timestamptz(3) not null,
  run_id        uuid not null,
  created_at    timestamptz(3) not null,
  primary key (adapter_type, account_key)
);
