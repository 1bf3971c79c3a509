import type { Sql } from "postgres";
import { carriers } from "./ground.ts";

/** A state that never occurs, and the rows in which it does. */
export interface Invariant {
  readonly sentence: string;
  readonly broken: (sql: Sql) => Promise<readonly object[]>;
}

const endedAndLiving = async (sql: Sql): Promise<readonly object[]> => {
  const marked = carriers();
  if (marked.length === 0) return [];
  const ended = await sql<{ id: string; status: string }[]>`
    select id, status from runs
    where id::text in ${sql(marked.map(({ runId }) => runId))} and status not in ('queued', 'running')`;
  return ended.map((run) => ({
    ...run,
    pids: marked.filter(({ runId }) => runId === run.id).map(({ pid }) => pid),
  }));
};

/** Lines of the table in core/README.md, in its words: those that the database or the process table can show. */
export const invariants: readonly Invariant[] = [
  {
    sentence: "issue with an agent and a person as its assignees",
    broken: (sql) => sql`
      select identifier from issues where assignee_agent_id is not null and assignee_user_id is not null`,
  },
  {
    sentence: "issue with two holders",
    broken: (sql) => sql`
      select i.identifier, i.assignee_agent_id, r.agent_id from issues i join runs r on r.id = i.checkout_run_id
      where r.agent_id is distinct from i.assignee_agent_id`,
  },
  {
    sentence: "lock on an issue that is not in progress, or has no assignee",
    broken: (sql) => sql`
      select identifier, status, assignee_agent_id from issues
      where checkout_run_id is not null and (status <> 'in_progress' or assignee_agent_id is null)`,
  },
  {
    sentence: "lock that outlives its run",
    broken: (sql) => sql`
      select i.identifier, r.id as run, r.status from issues i left join runs r on r.id = i.checkout_run_id
      where i.checkout_run_id is not null and r.status is distinct from 'running'`,
  },
  {
    sentence: "second live run of an agent on an issue",
    broken: (sql) => sql`
      select agent_id, issue_id, count(*)::integer as runs from runs where status in ('queued', 'running')
      group by agent_id, issue_id having count(*) > 1`,
  },
  {
    sentence: "live run without a supervising service",
    broken: (sql) => sql`
      select r.id, r.service_id, s.lease_until from runs r left join services s on s.id = r.service_id
      where r.status = 'running' and (s.id is null or s.lease_until < now())`,
  },
  { sentence: "run that has ended while a process of it lives", broken: endedAndLiving },
  {
    sentence: "wake that is neither waiting nor ended",
    broken: (sql) => sql`
      select id, status, ended_at from wakes where (status = 'pending') <> (ended_at is null)`,
  },
  {
    sentence: "cause without its wake, or wake without its cause",
    broken: (sql) => sql`
      select i.identifier, i.status from issues i
      where i.status = 'todo' and i.assignee_agent_id is not null
      and not exists (select from wakes w where w.issue_id = i.id and w.agent_id = i.assignee_agent_id)`,
  },
  {
    sentence: "issue left in progress by a run without a trace",
    // Where a caller stopped the run, there is no trace but the stop.
    broken: (sql) => sql`
      select i.identifier, i.assignee_agent_id from issues i
      where i.status = 'in_progress' and i.assignee_agent_id is not null
      and not exists (select from runs r where r.issue_id = i.id and r.status in ('queued', 'running', 'cancelled'))
      and not exists (select from activity a where a.entity_id = i.id and a.action = 'issue.stalled')`,
  },
  {
    sentence: "second retry of a run that was lost twice",
    broken: (sql) => sql`
      select second.id from runs second join runs first on first.id = second.retry_of_run_id
      where second.wake_reason = 'process_lost_retry' and first.status = 'interrupted'
      and first.error_code is distinct from 'service_shutdown' and (first.context ->> 'lostBefore')::boolean`,
  },
  {
    sentence: "report of costs that differs from its events",
    broken: (sql) => sql`
      select * from (
        select company_id, agent_id, (occurred_at at time zone 'UTC')::date as day, sum(cost_cents) as events
        from cost_events group by 1, 2, 3
      ) e full join (
        select company_id, agent_id, day, cost_cents as kept from cost_days
        where scope = 'agent' and event_count <> 0
      ) d using (company_id, agent_id, day)
      where e.events is distinct from d.kept`,
  },
  {
    sentence: "tick that is fired twice",
    broken: (sql) => sql`
      select trigger_id, scheduled_for, count(*)::integer as firings from routine_runs
      where scheduled_for is not null group by trigger_id, scheduled_for having count(*) > 1`,
  },
];

/** Consequences of the lines of that table at rest, which are no lines of it. */
export const further: readonly Invariant[] = [
  {
    sentence: "pending wake without a run whose end it waits for",
    broken: (sql) => sql`
      select w.id, w.agent_id, w.issue_id, w.reason from wakes w
      where w.status = 'pending' and not exists (
        select from runs r
        where r.agent_id = w.agent_id and r.issue_id is not distinct from w.issue_id
        and r.status in ('queued', 'running')
      )`,
  },
  {
    sentence: "gap in the events of a run, or other order of them than in its company's stream",
    broken: (sql) => sql`
      select run_id, seq from (
        select run_id, seq, position, lag(seq) over story as before, lag(position) over story as behind
        from run_events window story as (partition by run_id order by seq)
      ) e where seq <> before + 1 or position < behind`,
  },
];
