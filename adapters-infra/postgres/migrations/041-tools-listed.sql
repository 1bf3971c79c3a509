-- When the program of a run first listed the service's tools.
alter table runs add column tools_listed_at timestamptz;
