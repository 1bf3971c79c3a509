-- What the programs of a run live in: a process, a pod, a container.
alter table runs add column process jsonb;
update  runs
set     process = jsonb_build_object('kind', 'process', 'name', process_pid::text, 'uid', process_started_at)
where   process_pid is not null;
alter table runs drop column process_pid, drop column process_started_at;

-- Where they run. Every service with that reach can end them; the others end the row when the lease does.
alter table runs rename column host to reach;
update runs set reach = 'host/' || reach where reach is not null;
alter table services add column reaches text[] not null default '{}';
update services set reaches = array['host/' || host];

-- By which of the service's runners: the agent's, else the company's, else the service's usual one.
alter table companies add column runner text;
alter table runs add column runner text;
-- The machine of its program, as its engine names it, and a sentence: why the program does not run yet.
alter table runs add column node text, add column waits_for text;
