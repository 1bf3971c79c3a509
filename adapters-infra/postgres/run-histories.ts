import type { Fragment, Sql } from "postgres";
import { loopWindowStart, type RecentRuns, uncountedReasons } from "../../core/model/runs/loop-breaker.ts";
import type { RunId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import { actsOfPeopleOn, setOf } from "./facts.ts";

/** The facts about the past of a queued run that the gate needs. */
export interface RunHistory extends RecentRuns {
  readonly id: RunId;
  readonly accountHeldUntil: Instant | null;
  /** Whether a run of another agent on its issue is being stopped. */
  readonly isBeingStopped: boolean;
}

/**
 * Returns when a person last acted on the issue of `runs run` or invoked its agent, if later than `since`; null
 * otherwise. These acts release runs (`releasedByAct`, `releasedByWake` of the core). Each of the three searches reads one entry of an index, however many acts there were.
 */
const lastActOfPerson = (sql: Sql, since: Fragment) => sql`
  greatest(
    (
      select  max(created_at)
      from    ${actsOfPeopleOn(sql, sql`run.issue_id`, since)}
    ),
    (
      select  max(created_at)
      from    wakes
      where   wakes.issue_id = run.issue_id
      and     wakes.by_kind = 'board'
      and     wakes.created_at > ${since}
    ),
    (
      select  max(created_at)
      from    wakes
      where   wakes.agent_id = run.agent_id
      and     wakes.issue_id is null
      and     wakes.by_kind = 'board'
      and     wakes.created_at > ${since}
    )
  )
`;

/**
 * As above, for what agents cause for the agent of `runs run`: acts on the agent itself, and on the issues of its runs
 * that agents caused within the window.
 */
const lastActForAgent = (sql: Sql, since: Fragment, at: Instant) => sql`
  greatest(
    ${lastActOfPerson(sql, since)},
    (
      select  max(created_at)
      from    ${actsOfPeopleOn(sql, sql`run.agent_id`, since)}
    ),
    (
      select      max(act.created_at)
      from        runs other
      cross join  lateral (
                    select  max(created_at) as created_at
                    from    ${actsOfPeopleOn(sql, sql`other.issue_id`, since)}
                  ) as act
      where       other.agent_id = run.agent_id
      and         other.caused_by_agents
      and         other.started_at > ${loopWindowStart(at)}
    )
  )
`;

/** The runs that agents caused for the agent of `runs run` since `counted.since`, if agents caused it, too. */
const causedForAgent = (sql: Sql, at: Instant) => sql`
  case
    when run.caused_by_agents then (
      select  count(*)
      from    runs other
      where   other.agent_id = run.agent_id
      and     other.caused_by_agents
      and     other.started_at > greatest(
                counted.since,
                ${lastActForAgent(sql, sql`${loopWindowStart(at)}::timestamptz`, at)}
              )
    )
    else 0
  end
`;

/**
 * Returns the end of the account hold of each run, and how often the same run recurred lately. It reads the runs of the
 * issue, or those of the agent without one: the loop breaker lets few of them start until a person acts.
 */
export const historiesOf =
  (chosen: readonly { readonly id: RunId; readonly causedByAgents: boolean }[], at: Instant) => (sql: Sql) =>
    sql<RunHistory[]>`
  select  run.id,
          hold.not_before as account_held_until,
          case
            when run.issue_id is null then (
              select  count(*)
              from    runs other
              where   other.agent_id = run.agent_id
              and     other.issue_id is null
              and     other.started_at > counted.since
              and     other.wake_reason = run.wake_reason
            )
            else lately.of_cause
          end as of_cause,
          lately.of_issue,
          ${chosen.some(({ causedByAgents }) => causedByAgents) ? causedForAgent(sql, at) : sql`0`} as by_agents,
          exists (
            select
            from   runs other
            where  other.status = 'running'
            and    other.stop_requested_at is not null
            and    other.issue_id = run.issue_id
            and    other.agent_id <> run.agent_id
          ) as is_being_stopped
  from    runs run
  join    agents agent on agent.id = run.agent_id
  left join account_holds hold on hold.adapter_type = run.adapter_type
                              and hold.account_key = agent.account
                              and hold.not_before > ${at}
  cross join lateral (
    select  greatest(
              ${loopWindowStart(at)}::timestamptz,
              ${lastActOfPerson(sql, sql`${loopWindowStart(at)}::timestamptz`)}
            ) as since
  ) as counted
  cross join lateral (
    select  count(*) as of_issue,
            count(*) filter (where other.agent_id = run.agent_id and other.wake_reason = run.wake_reason) as of_cause
    from    runs other
    where   other.issue_id = run.issue_id
    and     other.started_at > counted.since
    and     other.wake_reason not in ${setOf(sql, uncountedReasons)}
  ) as lately
  where   run.id = any(${chosen.map(({ id }) => id)}::uuid[])
`;
