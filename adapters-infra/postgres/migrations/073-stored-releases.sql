-- A person's act now stores that it releases quarantined runs; until now the readers computed it, and some did not. Runs that
-- a person has released by then are stored as released; the others stay quarantined.
create index runs_queued_by_issue on runs (issue_id) where status = 'queued' and issue_id is not null;

update runs run
set    held_since = null,
       held_for   = null
where  run.status = 'queued'
and    run.held_since is not null
and    (
         exists (
           select
           from   activity act
           where  act.actor_kind = 'board'
           and    act.created_at > run.held_since
           and    (
                    act.entity_id = run.issue_id
                    or (
                      run.held_for = 'agents'
                      and (
                        act.entity_id = run.agent_id
                        or act.entity_id in (
                          select  caused.issue_id
                          from    runs caused
                          where   caused.agent_id = run.agent_id
                          and     caused.caused_by_agents
                          and     caused.started_at > run.held_since - interval '10 minutes'
                        )
                      )
                    )
                  )
         )
         or exists (
           select
           from   wakes wake
           where  wake.by_kind = 'board'
           and    wake.created_at > run.held_since
           and    (wake.issue_id = run.issue_id or (wake.issue_id is null and wake.agent_id = run.agent_id))
         )
       );
