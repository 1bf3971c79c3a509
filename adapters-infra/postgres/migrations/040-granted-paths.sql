-- Paths of the service's machine that an instance admin shows to an agent: [{path, real, access}].
alter table agents    add column granted_paths jsonb not null default '[]';
alter table approvals add column granted_paths jsonb not null default '[]';

-- Of existing agents: the paths whose present value an instance admin has set, by the history of the configuration.
-- What an approved proposal of somebody else has set does not count, and neither does a path that is not written in its
-- shortest form: its run says so, and an admin sets it again.
with named as (
  select    a.id as agent_id, array[key.name] as at, a.adapter_config ->> key.name as path, key.access
  from      agents a
  cross join (values ('cwd', 'write'), ('command', 'read'), ('instructionsFilePath', 'read')) as key (name, access)
  union all
  select    a.id, array[list.name, (arg.at - 1)::text], arg.value #>> '{}', 'read'
  from      agents a
  cross join (values ('args'), ('extraArgs')) as list (name)
  cross join lateral jsonb_array_elements(
              case when jsonb_typeof(a.adapter_config -> list.name) = 'array'
                   then a.adapter_config -> list.name else '[]' end
            ) with ordinality as arg (value, at)
  union all
  select    a.id, array['env', variable.name], folder.path,
            case when variable.name = 'PATH' then 'read' else 'write' end
  from      agents a
  cross join lateral jsonb_each(
              case when jsonb_typeof(a.adapter_config -> 'env') = 'object'
                   then a.adapter_config -> 'env' else '{}' end
            ) as variable (name, binding)
  cross join lateral (
              select coalesce(variable.binding ->> 'value', variable.binding #>> '{}') as text
            ) as said
  cross join lateral unnest(
              case when variable.name = 'PATH' then string_to_array(said.text, ':') else array[said.text] end
            ) as folder (path)
  where     variable.name = 'PATH'
  or        variable.name ~ '(^|_)(HOME|CONFIG_DIR)$'
),
granted as (
  select    named.agent_id, jsonb_agg(distinct jsonb_build_object(
              'path', named.path, 'real', named.path, 'access', named.access
            )) as paths
  from      named
  join      agents a on a.id = named.agent_id
  cross join lateral (
              select    r.created_by_user_id
              from      agent_config_revisions r
              where     r.agent_id = named.agent_id
              and       r.before_config #> ('{adapterConfig}'::text[] || named.at)
                        is distinct from r.after_config #> ('{adapterConfig}'::text[] || named.at)
              order by  r.created_at desc, r.id desc
              limit     1
            ) as last
  join      board_users u on u.id = last.created_by_user_id and u.is_admin and u.disabled_at is null
  where     named.path ~ '^(/[^/]+)+$'
  and       named.path !~ '(^|/)[.]{1,2}(/|$)'
  and       not exists (
              select    from approvals p
              left join board_users asked on asked.id = p.requested_by_user_id
              where     p.agent_id = named.agent_id
              and       p.type = 'hire_agent'
              and       asked.is_admin is not true
            )
  group by  named.agent_id
)
update  agents
set     granted_paths = granted.paths
from    granted
where   agents.id = granted.agent_id;
