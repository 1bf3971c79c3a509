-- The commit of all files that a run began with; null: not known, of runs of earlier versions.
alter table run_works add column base text;
