-- What is searched of a text is prepared, because the parser of words takes quadratic time for some texts: for each `<` and
-- for each part of a long address it reads on to the end. New texts are prepared when they are stored; the words of
-- earlier ones stay as they are, and the search asks for both.

-- Ends a token after its second `@` and after each sixteenth punctuation mark. Longer addresses are found in parts.
create function split_tokens(given text, mark text) returns text language sql immutable parallel safe as $$
  select regexp_replace(
           regexp_replace(given, '([^\s@]*@[^\s@]*@)', '\1' || mark, 'g'),
           '((?:[^\s!-/:-@[-`{-~]*[!-/:-@[-`{-~]){16})', '\1' || mark, 'g'
         )
$$;

-- Without tags, which the parser leaves out, and without any other `<`. Of very long texts the beginning is searched: a
-- tsvector holds 1 MiB at most.
create function searchable(given text) returns text language sql immutable parallel safe as $$
  select split_tokens(
           translate(
             regexp_replace(left(given, 100000), '<[/!?a-zA-Z][-\sa-zA-Z0-9"''=#/:.&?%~_]*>', ' ', 'g'),
             '<',
             ' '
           ),
           ' '
         )
$$;

-- Search input. Earlier texts have the words of an address as it is.
create function words_meant(asked text) returns tsquery language sql immutable parallel safe as $$
  select case
           when searchable(asked) = asked then websearch_to_tsquery('english'::regconfig, asked)
           else websearch_to_tsquery('english'::regconfig, searchable(asked))
                || websearch_to_tsquery('english'::regconfig, asked)
         end
$$;

-- Triggers, because another expression of a generated column would write the whole table anew.
alter table issues alter column search drop expression;
alter table comments alter column search drop expression;
alter table documents alter column search drop expression;

create function index_issue() returns trigger language plpgsql as $$
begin
  new.search :=
    array_to_tsvector(array[new.company_id::text])
    || setweight(to_tsvector('english'::regconfig, searchable(new.title)), 'A')
    || setweight(to_tsvector('english'::regconfig, searchable(coalesce(new.description, ''))), 'B');
  return new;
end
$$;

create function index_comment() returns trigger language plpgsql as $$
begin
  new.search :=
    array_to_tsvector(array[new.company_id::text])
    || setweight(to_tsvector('english'::regconfig, searchable(new.body)), 'D');
  return new;
end
$$;

create function index_document() returns trigger language plpgsql as $$
begin
  new.search :=
    array_to_tsvector(array[new.company_id::text])
    || setweight(to_tsvector('english'::regconfig, searchable(coalesce(new.title, ''))), 'B')
    || setweight(to_tsvector('english'::regconfig, searchable(new.body)), 'C');
  return new;
end
$$;

create trigger new_issues_are_indexed before insert on issues for each row execute function index_issue();
create trigger changed_issues_are_indexed before update on issues
  for each row when ((old.title, old.description) is distinct from (new.title, new.description))
  execute function index_issue();

create trigger new_comments_are_indexed before insert on comments for each row execute function index_comment();
create trigger changed_comments_are_indexed before update on comments
  for each row when (old.body is distinct from new.body)
  execute function index_comment();

create trigger new_documents_are_indexed before insert on documents for each row execute function index_document();
create trigger changed_documents_are_indexed before update on documents
  for each row when ((old.title, old.body) is distinct from (new.title, new.body))
  execute function index_document();

-- Also where rows are copied with the triggers off.
alter table issues enable always trigger new_issues_are_indexed, enable always trigger changed_issues_are_indexed;
alter table comments enable always trigger new_comments_are_indexed, enable always trigger changed_comments_are_indexed;
alter table documents enable always trigger new_documents_are_indexed, enable always trigger changed_documents_are_indexed;
