import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "postgres";
import { runEndsOfHolds, wakeEndsOfHolds } from "../../core/model/agents/holds.ts";
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

const notStarted = async (sql: Sql): Promise<readonly object[]> => {
  const marked = carriers();
  return marked.length === 0
    ? []
    : sql`
        select id, status from runs
        where id::text in ${sql(marked.map(({ runId }) => runId))} and (status = 'queued' or started_at is null)`;
};

/** Of `issues i`: no open blocker keeps it. */
const isFree = (sql: Sql) => sql`
  not exists (
    select from issue_blockers b join issues o on o.id = b.blocked_by_id
    where b.issue_id = i.id and o.status not in ('done', 'cancelled')
  )`;

/** Links that lead back to where they began. */
const circles = (sql: Sql, links: ReturnType<Sql>) => sql`
  with recursive link (one, other) as (${links}), reach (one, other) as (
    select one, other from link
    union
    select reach.one, link.other from reach join link on link.one = reach.other
  )
  select one from reach where one = other`;

/** Sums by a key that differ from those of the events. */
const sumsThatDiffer = (sql: Sql, scope: string, key: string) => sql`
  select key, day, e.events, d.kept from (
    select company_id, coalesce(${sql(key)}::text, '') as key, (occurred_at at time zone 'UTC')::date as day,
           sum(cost_cents) as events
    from cost_events group by 1, 2, 3
  ) e full join (
    select company_id, coalesce(${sql(key)}::text, '') as key, day, sum(cost_cents) as kept from cost_days
    where scope = ${scope} group by 1, 2, 3 having sum(event_count) <> 0
  ) d using (company_id, key, day)
  where e.events is distinct from d.kept`;

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
      where i.status = 'todo' and i.assignee_agent_id is not null and ${isFree(sql)}
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
    broken: async (sql) => [
      ...(await sumsThatDiffer(sql, "company", "company_id")),
      ...(await sumsThatDiffer(sql, "agent", "agent_id")),
      ...(await sumsThatDiffer(sql, "project", "project_id")),
      ...(await sumsThatDiffer(sql, "model", "model")),
    ],
  },
  {
    sentence: "second way to record a cost",
    broken: (sql) => sql`
      select * from (
        select scope_id, date_trunc('month', occurred_at, 'UTC') as month, sum(cost_cents) as events
        from cost_events, unnest(array[company_id, agent_id, project_id]) as scope_id
        where scope_id is not null group by 1, 2
      ) e full join budget_months m using (scope_id, month)
      where coalesce(e.events, 0) <> coalesce(m.spent_cents, 0)`,
  },
  {
    sentence: "open issue of a person who cannot work in its company",
    broken: (sql) => sql`
      select i.identifier from issues i
      where i.assignee_user_id is not null and i.status not in ('done', 'cancelled')
      and not exists (
        select from board_users u left join memberships m on m.user_id = u.id and m.company_id = i.company_id
        where u.id = i.assignee_user_id and u.disabled_at is null and (u.is_admin or m.role in ('owner', 'operator'))
      )`,
  },
  {
    sentence: "cycle of parents, managers or blockers",
    broken: async (sql) => [
      ...(await circles(sql, sql`select id, parent_id from issues where parent_id is not null`)),
      ...(await circles(sql, sql`select id, reports_to from agents where reports_to is not null`)),
      ...(await circles(sql, sql`select issue_id, blocked_by_id from issue_blockers`)),
    ],
  },
  { sentence: "process that bypasses the gate", broken: notStarted },
  {
    sentence: "write of an agent whose run has ended",
    // The end of a run is the last event of its story, and gets its position under the lock that such a write must take. A
    // report of a cost tells what is spent already.
    broken: (sql) => sql`
      select a.action, a.run_id, a.position from activity a join runs r on r.id = a.run_id
      where a.actor_kind = 'agent' and a.action <> 'cost.reported' and r.finished_at is not null
      and a.position > (select max(e.position) from run_events e where e.run_id = a.run_id)`,
  },
  {
    sentence: "wake that is lost because its agent was held",
    // Ids follow the clock, which leapt: the order of the transactions that wrote the rows last is the order of events.
    broken: (sql) => sql`
      with story as (
        select issue_id, agent_id, xmin::text::bigint as written, concat_ws(' ', 'wake', reason, status, end_reason) as said,
               status in ('cancelled', 'skipped') and end_reason in ${sql(wakeEndsOfHolds as string[])} as is_cut_off
        from wakes
        union all
        select issue_id, agent_id, xmin::text::bigint, concat_ws(' ', 'run', status, stop_reason),
               status <> 'queued' and coalesce(stop_reason in ${sql(runEndsOfHolds as string[])}, false)
        from runs
      )
      select i.identifier, i.status, (
        select json_agg(s.said order by s.written) from story s where s.issue_id = i.id and s.agent_id = a.id
      ) as story
      from issues i join agents a on a.id = i.assignee_agent_id
      where i.status in ('todo', 'in_progress') and a.lifecycle_state = 'active' and ${isFree(sql)}
      and (
        select bool_and(s.is_cut_off) from story s
        where s.issue_id = i.id and s.agent_id = a.id and s.written = (
          select max(last.written) from story last where last.issue_id = i.id and last.agent_id = a.id
        )
      )`,
  },
  {
    sentence: "text of a deleted comment",
    broken: (sql) => sql`
      select c.id from comments c where c.deleted_at is not null
      and (c.body <> '' or exists (select from comment_revisions r where r.comment_id = c.id))`,
  },
  {
    sentence: "revision of a routine that is changed or removed",
    broken: (sql) => sql`
      select routine_id, count(*)::integer as there, max(revision_number) as made from routine_revisions
      group by routine_id having count(*) <> max(revision_number)`,
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

/** Answers, rows and logs that have one of the values in clear. */
export const leaked = (
  values: readonly string[],
  answers: readonly string[],
  dataDir: string,
): Invariant => ({
  sentence: "secret in an answer, a row or a log",
  broken: async (sql) => {
    const found: object[] = answers.map((answer) => ({ answer }));
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
    for (const { name } of tables) {
      const rows = await sql<{ row: string }[]>`
        select left(t::text, 200) as row from ${sql(name)} t
        where exists (select from unnest(${values as string[]}::text[]) value where position(value in t::text) > 0) limit 3`;
      found.push(...rows.map(({ row }) => ({ table: name, row })));
    }
    for (const key of await logsIn(sql)) {
      const text = await readFile(join(dataDir, "blobs", key), "utf8").catch(() => "");
      if (values.some((value) => text.includes(value))) found.push({ log: key });
    }
    return found;
  },
});

const logsIn = async (sql: Sql): Promise<readonly string[]> =>
  (await sql<{ key: string }[]>`select blob_key as key from run_log_segments`).map(({ key }) => key);

/** Files that a record names and the disk does not have. */
export const filesMissing = (dataDir: string): Invariant => ({
  sentence: "record of a file or log that is not on the disk",
  broken: async (sql) => {
    const assets = await sql<{ key: string }[]>`select blob_key as key from assets`;
    return [...(await logsIn(sql)), ...assets.map(({ key }) => key)]
      .filter((key) => !existsSync(join(dataDir, "blobs", key)))
      .map((key) => ({ key }));
  },
});
