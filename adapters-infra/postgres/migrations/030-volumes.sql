-- Where services keep the workspaces and homes of agents, each by the id in its folders: the disk of a machine, or a
-- folder that several share. A volume without a live service is given up then, at the earliest.
create table volumes (
  id           text primary key,
  host         text not null,
  seen_at      timestamptz(3) not null,
  given_up_at  timestamptz(3) not null
);
alter table services add column volume text;

-- Where the agent's runs by the runner `local` work. Null: wherever the next one starts.
alter table agents add column volume text, add column volume_since timestamptz(3);
create index agents_by_volume on agents (volume) where volume is not null;

-- What keeps the workspace of a run, and so its session. Null: nothing does, or it is not known.
alter table runs add column volume text;
-- Empty: nothing does. Null: it is not known, as before volumes.
alter table task_sessions add column volume text;
