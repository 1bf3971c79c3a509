-- Cards ----------------------------------------------------------------------------------------------------------

create table interactions (
  id                     uuid primary key,
  company_id             uuid not null,
  issue_id               uuid not null,
  kind                   text not null check (kind in ('suggest_tasks', 'ask_user_questions', 'request_confirmation')),
  status                 text not null check (status in ('pending', 'accepted', 'rejected', 'answered', 'expired', 'cancelled')),
  continuation_policy    text not null check (continuation_policy in ('none', 'wake_assignee')),
  idempotency_key        text,
  title                  text,
  summary                text,
  payload                jsonb not null,
  result                 jsonb,
  -- What a human comment, and a new revision of that document, end it by.
  ends_by_comment        boolean not null,
  target_document_id     uuid,
  source_run_id          uuid,
  created_by_agent_id    uuid,
  created_by_user_id     uuid,
  resolved_by_agent_id   uuid,
  resolved_by_user_id    uuid,
  resolved_at            timestamptz(3),
  created_at             timestamptz(3) not null,
  updated_at             timestamptz(3) not null,
  foreign key (company_id, issue_id) references issues (company_id, id),
  check ((status = 'pending') = (resolved_at is null))
);
create index interactions_by_issue on interactions (issue_id, id desc);
create index interactions_pending on interactions (issue_id) where status = 'pending';
create index interactions_by_target on interactions (target_document_id) where status = 'pending' and target_document_id is not null;
create unique index interactions_key on interactions (issue_id, idempotency_key) where idempotency_key is not null;

-- Documents ------------------------------------------------------------------------------------------------------

-- The latest revision, beside what is the document's own.
create table documents (
  id                      uuid primary key,
  company_id              uuid not null,
  issue_id                uuid not null,
  key                     text not null,
  title                   text,
  format                  text not null,
  body                    text not null,
  latest_revision_id      uuid not null,
  latest_revision_number  integer not null,
  created_by_agent_id     uuid,
  created_by_user_id      uuid,
  updated_by_agent_id     uuid,
  updated_by_user_id      uuid,
  created_at              timestamptz(3) not null,
  updated_at              timestamptz(3) not null,
  unique (company_id, id),
  constraint documents_key_key unique (issue_id, key),
  foreign key (company_id, issue_id) references issues (company_id, id)
);

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
create index document_revisions_by_document on document_revisions (document_id, id desc);

-- Files ----------------------------------------------------------------------------------------------------------

create table assets (
  id                   uuid primary key,
  company_id           uuid not null references companies,
  -- A logo has been looked into, and may be shown; anything may be attached.
  purpose              text not null check (purpose in ('attachment', 'logo')),
  -- Where its bytes are, and under which key.
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

create table attachments (
  id                   uuid primary key,
  company_id           uuid not null,
  issue_id             uuid not null,
  issue_comment_id     uuid,
  originating_run_id   uuid,
  asset_id             uuid not null,
  created_at           timestamptz(3) not null,
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, asset_id) references assets (company_id, id)
);
create index attachments_by_issue on attachments (issue_id, id desc);
create index attachments_by_asset on attachments (asset_id);

alter table companies add column logo_asset_id uuid;
alter table companies add foreign key (id, logo_asset_id) references assets (company_id, id);

-- Blobs that nothing refers to: an upload's from its first byte until a transaction takes it into use, a deleted file's
-- from then on. Whatever is due is deleted, and then forgotten.
create table loose_blobs (
  blob_key  text primary key,
  due_at    timestamptz(3) not null
);
create index loose_blobs_due on loose_blobs (due_at);

-- Labels ---------------------------------------------------------------------------------------------------------

create table labels (
  id          uuid primary key,
  company_id  uuid not null references companies,
  name        text not null,
  color       text,
  created_at  timestamptz(3) not null,
  unique (company_id, id)
);
create unique index labels_name_key on labels (company_id, lower(name));

create table issue_labels (
  company_id  uuid not null,
  issue_id    uuid not null,
  label_id    uuid not null,
  primary key (issue_id, label_id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, label_id) references labels (company_id, id) on delete cascade
);
create index issue_labels_by_label on issue_labels (label_id, issue_id);

-- Finding --------------------------------------------------------------------------------------------------------

-- The company is one of the words, so that one index answers for one company. Of very long texts the beginning is
-- searched: a tsvector holds 1 MiB at most.
alter table issues add column search tsvector generated always as (
  array_to_tsvector(array[company_id::text])
  || setweight(to_tsvector('english'::regconfig, title), 'A')
  || setweight(to_tsvector('english'::regconfig, left(coalesce(description, ''), 100000)), 'B')
) stored;
create index issues_search on issues using gin (search);

alter table comments add column search tsvector generated always as (
  array_to_tsvector(array[company_id::text])
  || setweight(to_tsvector('english'::regconfig, left(body, 100000)), 'D')
) stored;
create index comments_search on comments using gin (search);

alter table documents add column search tsvector generated always as (
  array_to_tsvector(array[company_id::text])
  || setweight(to_tsvector('english'::regconfig, coalesce(title, '')), 'B')
  || setweight(to_tsvector('english'::regconfig, left(body, 100000)), 'C')
) stored;
create index documents_search on documents using gin (search);

-- Children in the order of the list.
create index issues_by_parent_in_order on issues (parent_id, priority_rank, last_activity_at desc, id desc) where parent_id is not null;
drop index issues_by_parent;
create index issues_created on issues (company_id, id);
