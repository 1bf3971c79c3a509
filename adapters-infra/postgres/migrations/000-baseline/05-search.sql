-- Full text search of issues, comments and documents: `search` of their tables, filled by triggers. A row's company is one of its
-- words, so that one index serves all companies.
--
-- A text is prepared for the parser, which takes quadratic time for some texts: for each `<`, and for each part of a long
-- address, it reads on to the end.

-- Ends a token after its second `@` and after each sixteenth punctuation mark. Longer addresses are found in parts.
create function split_tokens(given text, mark text) returns text language sql immutable parallel safe as $$
  select regexp_replace(
           regexp_replace(given, '([^\s@]*@[^\s@]*@)', '\1' || mark, 'g'),
           '((?:[^\s!-/:-@[-`{-~]*[!-/:-@[-`{-~]){16})', '\1' || mark, 'g'
         )
$$;

-- A text as every server reads it, whatever its locale: in small letters, and with spaces for what is neither a letter nor a digit
-- outside ASCII.
create function plain(given text) returns text language sql immutable parallel safe as $$
  select case
           when octet_length(given) = length(given) then lower(given collate "C") collate "und-x-icu"
           else regexp_replace(
             lower(given collate "und-x-icu"),
             '[\u0080-\u00A9\u00AB-\u00B4\u00B6-\u00B9\u00BB-\u00BF\u00D7\u00F7\u2000-\u206F\u20A0-\u20CF\u2190-\u2BFF\u2E00-\u2E7F'
             || '\u3000-\u3004\u3008-\u3020\uFE10-\uFE6F\uFF00-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\U0001F000-\U0001FAFF]',
             ' ',
             'g'
           )
         end
$$;

-- A text without tags, which the parser would leave out, and without any other `<`. Of a very long text only the beginning is
-- searched, because a tsvector holds 1 MiB at most.
create function searchable(given text) returns text language sql immutable parallel safe as $$
  select split_tokens(
           translate(
             regexp_replace(plain(left(given, 100000)), '<[/!?a-z][-\sa-z0-9"''=#/:.&?%~_]*>', ' ', 'g'),
             '<',
             ' '
           ),
           ' '
         )
$$;

-- The letters of scripts without spaces between words, for a bracket of a pattern: Thai, Lao, Myanmar, Khmer, Hangul, kana,
-- ideographs with their marks. Any part of a text in them is found.
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

-- Each two neighbouring letters of a text, and the last letter of each row of them. A search for several letters is one for the
-- row of their pairs. Positions in a tsvector end at 16,383, so that the first 16,000 letters of a text are found.
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

-- The words of a text for the index.
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

-- The query of an input, prepared and unprepared.
create function words_meant(asked text) returns tsquery language sql immutable parallel safe as $$
  select case
           when searchable(asked) = plain(asked) then websearch_to_tsquery('english'::regconfig, plain(asked))
           else websearch_to_tsquery('english'::regconfig, searchable(asked))
                || websearch_to_tsquery('english'::regconfig, plain(asked))
         end
$$;

-- The query of an input. A row of letters without spaces becomes the row of its pairs, and a single letter what begins a pair;
-- with `by_letter`, single letters, for the excerpt that is shown.
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

-- The times that an id falls into, in four sizes, for the index: an id begins with its time, and each further byte divides it. A
-- function in an index may call only functions of the server, and hashes of bytea came with PostgreSQL 18.
create function eras(company_id uuid, id uuid) returns bigint[] language sql immutable parallel safe as $$
  select array[
    hashtextextended(encode(uuid_send(company_id) || substring(uuid_send(id) for 2), 'hex'), 0),
    hashtextextended(encode(uuid_send(company_id) || substring(uuid_send(id) for 3), 'hex'), 0),
    hashtextextended(encode(uuid_send(company_id) || substring(uuid_send(id) for 4), 'hex'), 0),
    hashtextextended(encode(uuid_send(company_id) || substring(uuid_send(id) for 5), 'hex'), 0)
  ]
$$;

-- `older_issues_with`, `older_comments_with`, `older_documents_with`: the newest rows of a company that match a query, after
-- the `passed` newest of all, which the caller has read. A word in millions of rows would be read as a whole, so the index is
-- asked for one time after another: the parts of a minute first, then of hours, weeks and years, and the parts of each with too
-- many.
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
                        select  hashtextextended(
                                  encode(
                                    uuid_send(company) || time || substring(int4send(part) from case when time = '' then 3 else 4 end),
                                    'hex'
                                  ),
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
