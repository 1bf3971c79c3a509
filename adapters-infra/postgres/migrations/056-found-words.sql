-- The search finds parts of texts that are written without spaces, and at once what many old texts and no new one hold.

-- The letters of such scripts, for a bracket of a pattern: Thai, Lao, Myanmar, Khmer, Hangul, kana, ideographs with their marks.
create function unspaced_letters() returns text language sql immutable parallel safe as $$
  select '\u0E00-\u0EFF\u1000-\u109F\u1100-\u11FF\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u3130-\u318F\u31F0-\u31FF'
      || '\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF66-\uFF9F\U00020000-\U0003FFFF'
$$;

-- A text with a mark around each such letter.
create function apart(given text, mark text) returns text language sql immutable parallel safe as $$
  select case
           when octet_length(given) = length(given) then given
           else regexp_replace(given, '([' || unspaced_letters() || '])', mark || '\1' || mark, 'g')
         end
$$;

-- Each two neighbouring letters of a text, and the last of each row of them. Places in a tsvector end at 16,383, and what is
-- searched is a row of pairs: those of the first 16,000 letters are found.
create function letter_pairs(given text) returns tsvector language sql immutable parallel safe as $$
  select  coalesce(string_agg(quote_literal(pair) || ':' || place, ' '), '')::tsvector
  from    (
            select  letter || coalesce(lead(letter) over (partition by row order by at), '') as pair,
                    row_number() over (order by row, at) as place
            from    regexp_matches(left(given, 100000), '[' || unspaced_letters() || ']+', 'g')
                      with ordinality as rows (found, row),
                    unnest(string_to_array(found[1], null)) with ordinality as letters (letter, at)
            limit   16000
          ) as pairs
$$;

-- All that is searched of a text.
create function found_words(given text) returns tsvector language plpgsql immutable parallel safe as $$
begin
  if octet_length(given) = length(given) then
    return to_tsvector('english'::regconfig, searchable(given));
  end if;
  return to_tsvector(
           'english'::regconfig,
           searchable(regexp_replace(left(given, 100000), '[' || unspaced_letters() || ']+', ' ', 'g'))
         ) || letter_pairs(given);
end
$$;

-- Search input. A row of unspaced letters is a row of pairs, a single one what begins a pair; with `by_letter`, letters, as
-- an excerpt shows them.
create function words_sought(asked text, by_letter boolean) returns tsquery language plpgsql immutable parallel safe as $$
declare
  letters constant text := unspaced_letters();
  named text := asked;
  row text;
  rows text[] := '{}';
  sought text;
begin
  if octet_length(asked) = length(asked) then
    return words_meant(asked);
  end if;
  -- What is quoted stands together, as the letters of a row do by themselves.
  named := regexp_replace(named, '"([^"]*[' || letters || '][^"]*)"', ' \1 ', 'g');
  named := regexp_replace(named, '([^-[:space:]' || letters || '])(?=[' || letters || '])', '\1 ', 'g');
  -- Each row stands as a word for the parser, which then becomes what is sought of it.
  loop
    row := substring(named from '[' || letters || ']+');
    exit when row is null;
    rows := rows || row;
    named := regexp_replace(named, '[' || letters || ']+', 'zq' || cardinality(rows) || 'zq ');
  end loop;
  sought := words_meant(named)::text;
  for n in 1 .. cardinality(rows) loop
    sought := replace(
                sought,
                quote_literal('zq' || n || 'zq'),
                '(' || case
                  when by_letter then phraseto_tsquery('english', regexp_replace(rows[n], '(.)', '\1 ', 'g'))::text
                  when length(rows[n]) = 1 then quote_literal(rows[n]) || ':*'
                  else (
                    select  string_agg(quote_literal(substr(rows[n], at, 2)), ' <-> ' order by at)
                    from    generate_series(1, length(rows[n]) - 1) as at
                  )
                end || ')'
              );
  end loop;
  return sought::tsquery;
end
$$;

create or replace function index_issue() returns trigger language plpgsql as $$
begin
  new.search :=
    array_to_tsvector(array[new.company_id::text])
    || setweight(found_words(new.title), 'A')
    || setweight(found_words(coalesce(new.description, '')), 'B');
  return new;
end
$$;

create or replace function index_comment() returns trigger language plpgsql as $$
begin
  new.search := array_to_tsvector(array[new.company_id::text]) || setweight(found_words(new.body), 'D');
  return new;
end
$$;

create or replace function index_document() returns trigger language plpgsql as $$
begin
  new.search :=
    array_to_tsvector(array[new.company_id::text])
    || setweight(found_words(coalesce(new.title, '')), 'B')
    || setweight(found_words(new.body), 'C');
  return new;
end
$$;

-- Texts from before that hold such letters.
update  issues
set     search = array_to_tsvector(array[company_id::text])
          || setweight(found_words(title), 'A')
          || setweight(found_words(coalesce(description, '')), 'B')
where   octet_length(concat(title, description)) <> length(concat(title, description))
and     concat(title, description) ~ ('[' || unspaced_letters() || ']');
update  comments
set     search = array_to_tsvector(array[company_id::text]) || setweight(found_words(body), 'D')
where   octet_length(body) <> length(body)
and     body ~ ('[' || unspaced_letters() || ']');
update  documents
set     search = array_to_tsvector(array[company_id::text])
          || setweight(found_words(coalesce(title, '')), 'B')
          || setweight(found_words(body), 'C')
where   octet_length(concat(title, body)) <> length(concat(title, body))
and     concat(title, body) ~ ('[' || unspaced_letters() || ']');

-- The times of a text, as the search narrows them: an id begins with its time, and each further byte tells a part of that. A
-- function in an index may call only the server's own.
create function eras(company_id uuid, id uuid) returns bigint[] language sql immutable parallel safe as $$
  select array[
    hashbyteaextended(uuid_send(company_id) || substring(uuid_send(id) for 2), 0),
    hashbyteaextended(uuid_send(company_id) || substring(uuid_send(id) for 3), 0),
    hashbyteaextended(uuid_send(company_id) || substring(uuid_send(id) for 4), 0),
    hashbyteaextended(uuid_send(company_id) || substring(uuid_send(id) for 5), 0)
  ]
$$;
create index issues_found on issues using gin (search, eras(company_id, id));
create index comments_found on comments using gin (search, eras(company_id, id));
create index documents_found on documents using gin (search, eras(company_id, id));
-- As the other two have it: the newest of a company.
create index comments_by_company on comments (company_id, id);
drop index issues_search;
drop index comments_search;
drop index documents_search;

-- The newest texts of a company with a common word, but for so many that are newest of all. It asks the index for the words of
-- one time after the other, the parts of a minute first, then of hours, of weeks and of years, and for the parts of each of
-- those that has more than it needs.
do $do$
declare
  name text;
  issue text;
begin
  foreach name in array array['issues', 'comments', 'documents'] loop
    issue := case name when 'issues' then 'id' else 'issue_id' end;
    execute format($f$
      create function older_%1$s_with(company uuid, sought tsquery, passed integer, most integer)
      returns table (id uuid, issue_id uuid, search tsvector)
      -- Planned once, for words of which nothing is known: by the index.
      language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
      declare
        oldest constant bytea := (select uuid_send(t.id) from %1$I t where t.company_id = company order by t.id limit 1);
        before constant uuid := (
          select t.id from %1$I t where t.company_id = company order by t.id desc offset passed - 1 limit 1
        );
        newest constant bytea := uuid_send(before);
        -- The times that are left, the newest last: what their ids begin with, and from which to which part thereafter.
        times bytea[] := array['', substring(newest for 2), substring(newest for 3), substring(newest for 4)];
        firsts integer[] := array[get_byte(oldest, 0) * 256 + get_byte(oldest, 1), 0, 0, 0];
        lasts integer[] := array[
          get_byte(newest, 0) * 256 + get_byte(newest, 1) - 1, get_byte(newest, 2) - 1, get_byte(newest, 3) - 1, get_byte(newest, 4)
        ];
        at integer;
        time bytea;
        first integer;
        last integer;
        step integer;
        ids uuid[];
        missing integer := most;
      begin
        if before is null then
          return;
        end if;
        while missing > 0 and cardinality(times) > 0 loop
          at := cardinality(times);
          time := times[at];
          first := firsts[at];
          last := lasts[at];
          times := trim_array(times, 1);
          firsts := trim_array(firsts, 1);
          lasts := trim_array(lasts, 1);
          step := 1;
          if first = last or (time <> '' and last - first < 16) then
            ids := array(
              select  t.id
              from    %1$I t
              where   t.search @@ sought
              and     eras(t.company_id, t.id) && array(
                        select  hashbyteaextended(
                                  uuid_send(company) || time || substring(int4send(part) from case when time = '' then 3 else 4 end),
                                  0
                                )
                        from    generate_series(first, last) as part
                      )
              and     t.company_id = company
              and     t.id < before
              limit   case when length(time) < 4 or first < last then 2 * most end
            );
            if cardinality(ids) < 2 * most or (length(time) = 4 and first = last) then
              return query
                select t.id, t.%2$I, t.search from %1$I t where t.id = any(ids) order by t.id desc limit missing;
              missing := missing - cardinality(ids);
              continue;
            end if;
            if first = last then
              time := time || substring(int4send(first) from case when time = '' then 3 else 4 end);
              first := 0;
              last := 255;
              step := 16;
            end if;
          else
            step := case when time = '' then 1 else 16 end;
          end if;
          for part in first .. last by step loop
            times := times || time;
            firsts := firsts || part;
            lasts := lasts || least(part + step - 1, last);
          end loop;
        end loop;
      end
      $$
    $f$, name, issue);
  end loop;
end
$do$;
