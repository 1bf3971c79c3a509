-- The account whose usage limits an agent's runs share. Agents that name no sign-in use the one in their home, and every
-- company and runner has homes of its own: without both in the key, one company's used-up account stopped another's runs.
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

-- In place of account_key, which versions before 071 still read. The holds and windows under their keys expire.
alter table agents add column account text not null
  generated always as (account_of(company_id, runtime_config, adapter_config)) stored;
