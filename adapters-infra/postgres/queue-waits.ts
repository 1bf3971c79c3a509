import type { Fragment, Sql } from "postgres";
import type { Instant } from "../../core/model/shared/instant.ts";
import { isHeldAsRestored } from "./holds.ts";
import { isReachable } from "./volumes.ts";

/**
 * Whether the queued run `runs run` of `agents agent` waits for something else than a slot, as `judgeQueuedRun` of the core
 * finds; `volumes volume` is the agent's, or null. `isOnOwnIssue`: whether the agent is the assignee of the run's issue. `chooseRuns`
 * passes over the same runs. A test walks every combination through the verdict and these statements.
 */
export const waitsForMoreThanSlot = (sql: Sql, at: Instant, isOnOwnIssue: Fragment) => sql`
  (
    ${isHeldAsRestored(sql)}
    or run.quarantined_since is not null
    or coalesce(run.not_before > ${at}, false)
    or exists (
      select
      from   account_holds hold
      where  hold.adapter_type = run.adapter_type
      and    hold.account_key = agent.account
      and    hold.not_before > ${at}
    )
    or (
      coalesce(${isOnOwnIssue}, false)
      and exists (
        select
        from   runs former
        where  former.status = 'running'
        and    former.stop_requested_at is not null
        and    former.issue_id = run.issue_id
        and    former.agent_id <> run.agent_id
      )
    )
    or (volume.id is not null and volume.abandoned_at >= now() and not ${isReachable(sql)})
  )
`;
