-- The folders in which services of the same host find the programs that the service leaves when it ends, and for how many
-- seconds beyond its lease these live: until then nobody else starts its runs again.
alter table services
  add column holders text[] not null default '{}',
  add column handover_sec integer not null default 0;
