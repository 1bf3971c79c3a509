-- What judges whether a request may still be granted reads references, paths and the form of values, never long texts. A list
-- judges many requests at once, and the payload of each may have a mebibyte.

-- A value with its texts cut: a path has at most 4,096 characters, and what is no path is never compared with anything longer.
create function outline_of(given jsonb) returns jsonb language plpgsql immutable parallel safe as $$
begin
  return case jsonb_typeof(given)
           when 'object' then (
             select coalesce(jsonb_object_agg(key, outline_of(value)), '{}') from jsonb_each(given)
           )
           when 'array' then (
             select  coalesce(jsonb_agg(outline_of(value) order by place), '[]')
             from    jsonb_array_elements(given) with ordinality as element (value, place)
           )
           when 'string' then
             to_jsonb(left(given #>> '{}', case when starts_with(given #>> '{}', '/') then 4096 else 200 end))
           else given
         end;
end
$$;

alter table approvals add column outline jsonb
  generated always as (case when type = 'hire_agent' then outline_of(payload) end) stored;
alter table interactions add column outline jsonb
  generated always as (case when kind = 'suggest_tasks' then outline_of(payload) end) stored;
