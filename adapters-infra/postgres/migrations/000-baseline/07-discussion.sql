-- What people and agents write on an issue.
create table comments (
  id                 uuid primary key,
  company_id         uuid not null,
  issue_id           uuid not null,
  body               text not null,
  author_agent_id    uuid,
  author_user_id     uuid,
  created_by_run_id  uuid,
  search             tsvector,
  edited_at          timestamptz(3),
  deleted_at         timestamptz(3),
  -- the lines of the issue's changes that it is about (`CommentLocation`); null: it is about the issue
  location           jsonb,
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  foreign key (company_id, issue_id) references issues (company_id, id),
  constraint deleted_comments_say_nothing check (deleted_at is null or body = '')
);
create index comments_by_issue on comments (issue_id, id desc);
create index comments_found on comments using gin (search, eras(company_id, id));
-- the newest of a company, for the search
create index comments_by_company on comments (company_id, id);
create index comments_on_lines on comments (issue_id, id) where location is not null;

create function index_comment() returns trigger language plpgsql as $$
begin
  new.search := array_to_tsvector(array[new.company_id::text]) || setweight(found_words(new.body), 'D');
  return new;
end
$$;

create trigger new_comments_are_indexed before insert on comments for each row execute function index_comment();

create trigger changed_comments_are_indexed before update on comments
  for each row when (old.body is distinct from new.body)
  execute function index_comment();
alter table comments enable always trigger new_comments_are_indexed, enable always trigger changed_comments_are_indexed;

-- Earlier texts of edited comments, until the comment is deleted.
create table comment_revisions (
  id           uuid primary key,
  comment_id   uuid not null references comments,
  body         text not null,
  replaced_at  timestamptz(3) not null
);
create index comment_revisions_by_comment on comment_revisions (comment_id, id);

-- A value with its texts cut, for what judges whether a request may still be granted: it compares names, references and paths, never
-- long texts, and lists judge many requests at once, each with a payload of up to a mebibyte.
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
             to_jsonb(left(given #>> '{}', case when starts_with(given #>> '{}', '/') then 4096 else 512 end))
           else given
         end;
end
$$;

-- Structured questions to the board.
create table interactions (
  id                    uuid primary key,
  company_id            uuid not null,
  issue_id              uuid not null,
  kind                  text not null
    check (kind in ('suggest_tasks', 'ask_user_questions', 'request_confirmation', 'request_permission')),
  status                text not null check (status in ('pending', 'accepted', 'rejected', 'answered', 'expired', 'cancelled')),
  continuation_policy   text not null check (continuation_policy in ('none', 'wake_assignee')),
  idempotency_key       text,
  title                 text,
  summary               text,
  payload               jsonb not null,
  result                jsonb,
  -- A comment of a person ends it; so does a new revision of the document.
  ends_by_comment       boolean not null,
  target_document_id    uuid,
  source_run_id         uuid,
  created_by_agent_id   uuid,
  created_by_user_id    uuid,
  resolved_by_agent_id  uuid,
  resolved_by_user_id   uuid,
  resolved_at           timestamptz(3),
  -- The beginning of the prompt, for lists: a payload may have a mebibyte.
  prompt                text generated always as (left(payload ->> 'prompt', 300)) stored,
  outline               jsonb generated always as (
    case when kind in ('suggest_tasks', 'request_permission') then outline_of(payload) end
  ) stored,
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  foreign key (company_id, issue_id) references issues (company_id, id),
  check ((status = 'pending') = (resolved_at is null))
);
create index interactions_by_issue on interactions (issue_id, id desc);
create index interactions_pending on interactions (issue_id) where status = 'pending';
create index interactions_by_target on interactions (target_document_id)
  where status = 'pending' and target_document_id is not null;
create unique index interactions_key on interactions (issue_id, idempotency_key) where idempotency_key is not null;
-- what waits for people
create index interactions_waiting on interactions (company_id, created_at) where status = 'pending';
-- those that a run waits for
create index interactions_pending_of_run on interactions (source_run_id)
  where status = 'pending' and kind = 'request_permission';

-- Texts of an issue under a key, with their latest revision.
create table documents (
  id                      uuid primary key,
  company_id              uuid not null,
  issue_id                uuid not null,
  key                     text collate "C" not null,
  title                   text,
  format                  text not null,
  body                    text not null,
  latest_revision_id      uuid not null,
  latest_revision_number  integer not null,
  created_by_agent_id     uuid,
  created_by_user_id      uuid,
  updated_by_agent_id     uuid,
  updated_by_user_id      uuid,
  search                  tsvector,
  created_at              timestamptz(3) not null,
  updated_at              timestamptz(3) not null,
  unique (company_id, id),
  constraint documents_key_key unique (issue_id, key),
  foreign key (company_id, issue_id) references issues (company_id, id)
);
create index documents_found on documents using gin (search, eras(company_id, id));

create function index_document() returns trigger language plpgsql as $$
begin
  new.search :=
    array_to_tsvector(array[new.company_id::text])
    || setweight(found_words(coalesce(new.title, '')), 'B')
    || setweight(found_words(new.body), 'C');
  return new;
end
$$;

create trigger new_documents_are_indexed before insert on documents for each row execute function index_document();

create trigger changed_documents_are_indexed before update on documents
  for each row when ((old.title, old.body) is distinct from (new.title, new.body))
  execute function index_document();
alter table documents enable always trigger new_documents_are_indexed, enable always trigger changed_documents_are_indexed;

-- Each stored change of a document.
create table document_revisions (
  id                         uuid primary key,
  company_id                 uuid not null,
  document_id                uuid not null,
  revision_number            integer not null,
  title                      text,
  format                     text not null,
  body                       text not null,
  change_summary             text,
  restored_from_revision_id  uuid,
  created_by_agent_id        uuid,
  created_by_user_id         uuid,
  created_at                 timestamptz(3) not null,
  unique (document_id, revision_number),
  foreign key (company_id, document_id) references documents (company_id, id) on delete cascade
);

-- Files of a company; their bytes are in the blob store of `provider`.
create table assets (
  id                   uuid primary key,
  company_id           uuid not null references companies,
  -- A logo was checked to be an image, and is shown; an attachment may be anything.
  purpose              text not null check (purpose in ('attachment', 'logo')),
  provider             text not null,
  blob_key             text not null,
  content_type         text not null,
  byte_size            bigint not null,
  sha256               text not null,
  original_filename    text,
  created_by_agent_id  uuid,
  created_by_user_id   uuid,
  created_at           timestamptz(3) not null,
  unique (company_id, id)
);

alter table companies add foreign key (id, logo_asset_id) references assets (company_id, id);

-- Files in the thread of an issue.
create table attachments (
  id                  uuid primary key,
  company_id          uuid not null,
  issue_id            uuid not null,
  issue_comment_id    uuid,
  originating_run_id  uuid,
  asset_id            uuid not null,
  created_at          timestamptz(3) not null,
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, asset_id) references assets (company_id, id)
);
create index attachments_by_issue on attachments (issue_id, id desc);
create index attachments_by_asset on attachments (asset_id);

-- Blobs that no row refers to: of an upload from its first byte until a transaction refers to it, and of a deleted file. A due
-- blob is deleted, then its row.
create table loose_blobs (
  blob_key  text primary key,
  due_at    timestamptz(3) not null
);
create index loose_blobs_due on loose_blobs (due_at);
