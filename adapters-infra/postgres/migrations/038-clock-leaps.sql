-- When the next tick of a schedule was calculated. A time that has not come yet shows that the clock was set back since, and
-- that the tick may lie too far away. Unknown for those calculated before.
alter table routine_triggers add column scheduled_at timestamptz(3);
create index routine_triggers_by_clock on routine_triggers (scheduled_at) where next_fire_at is not null;
