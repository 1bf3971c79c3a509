alter table trees
  -- when the background last tried to keep its work
  add column tried_at    timestamptz(3),
  -- the name under which its folder is to go to the trash; null: it stays, or has gone
  add column removal_id  uuid;
create index trees_by_removal on trees (volume, id) where removal_id is not null;
