-- What the loop breaker asks at each start of a run: when a person last acted, and what has run since.
create index activity_by_people on activity (entity_id, created_at) where actor_kind = 'board';
drop index wakes_by_people;
create index wakes_by_people_on_issue on wakes (issue_id, created_at) where by_kind = 'board' and issue_id is not null;
create index wakes_by_people_for_agent on wakes (agent_id, created_at) where by_kind = 'board' and issue_id is null;
drop index runs_started_by_agent;
create index runs_started_without_issue on runs (agent_id, started_at) where issue_id is null and started_at is not null;
