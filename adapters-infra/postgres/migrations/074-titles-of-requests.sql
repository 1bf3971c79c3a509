-- What a list shows of a request. Its payload may have a mebibyte, which nothing reads for a title.
alter table approvals add column title text
  generated always as (left(coalesce(payload ->> 'name', payload ->> 'subject', payload ->> 'title', type), 300)) stored;
alter table interactions add column prompt text
  generated always as (left(payload ->> 'prompt', 300)) stored;
