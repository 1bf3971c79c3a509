-- What the service's stores of a repository are on disk, when they were packed last; null: not measured yet.
alter table repositories add column store_bytes bigint;
