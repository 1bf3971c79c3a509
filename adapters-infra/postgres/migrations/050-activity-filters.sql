-- The activity of a day, in the order of time.
create index activity_by_time on activity (company_id, created_at, id);
-- The words of the details, and the company as one of them.
create index activity_by_words on activity using gin (
  (array_to_tsvector(array[company_id::text]) || jsonb_to_tsvector('english'::regconfig, details, '["string"]'))
);
