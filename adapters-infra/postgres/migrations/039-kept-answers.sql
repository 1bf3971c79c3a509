-- The answer of a request that reports what no record holds; null: the answer is made from the record again.
alter table idempotency_keys add column answer jsonb;
