import type { Fragment, Sql } from "postgres";
import { reasonsOfAssignees, retryReasons } from "../../core/model/runs/wake-reason.ts";
import { type Instant, monthOf } from "../../core/model/shared/instant.ts";

/**
 * A set of the core, such as `liveRunStatuses`, as SQL: `status in ${setOf(sql, liveRunStatuses)}`. Constants, because a
 * plan uses a partial index only where it can prove its predicate before it knows parameters.
 */
export const setOf = (sql: Sql, names: readonly string[]): Fragment => {
  let written = sets.get(names);
  if (written === undefined) {
    written = sql.unsafe(`(${names.map(constantOf).join(", ")})`);
    sets.set(names, written);
  }
  return written;
};

/** Each set is written once: a fragment of text belongs to no connection. */
const sets = new WeakMap<readonly string[], Fragment>();

/** A name of the core as a constant of SQL. */
export const constantOf = (name: string): string => {
  if (!isName.test(name)) throw new Error(`not a name of the core: ${name}`);
  return `'${name}'`;
};

const isName = /^[a-z][a-z_.:]*$/;

/** `runnerOf` of the core on `agents` and `companies` under these aliases; null where they name none. */
export const namedRunner = (sql: Sql, { agent, company }: { agent: Fragment; company: Fragment }) => sql`
  coalesce(${agent}.runtime_config ->> 'runner', ${company}.runner)
`;

const gateColumns = (sql: Sql) =>
  sql`position, name, kind, reviewer_agent_id, reviewer_user_id, command, timeout_sec, max_wakes`;

/** The gates of an issue, of a row with `id`, `project_id` and `has_own_gates` under this alias: its own, or its project's. */
export const gatesOfIssue = (sql: Sql, issue: Fragment) => sql`
  (
    select  ${gateColumns(sql)}
    from    issue_gates
    where   ${issue}.has_own_gates
    and     issue_gates.issue_id = ${issue}.id
    union all
    select  ${gateColumns(sql)}
    from    project_gates
    where   not ${issue}.has_own_gates
    and     project_gates.project_id = ${issue}.project_id
  )
`;

/** The agents that left work on an issue. */
export const workersOf = (sql: Sql, issueId: Fragment) => sql`
  (
    select distinct runs.agent_id as id
    from    run_works
    join    runs on runs.id = run_works.run_id
    where   run_works.issue_id = ${issueId}
  )
`;

/** For a `from` clause without conditions of its own: the acts of people on a record after a time. One entry of an index each. */
export const actsOfPeopleOn = (sql: Sql, entityId: Fragment, since: Fragment) => sql`
  activity
  where   activity.entity_id = ${entityId}
  and     activity.actor_kind = 'board'
  and     activity.created_at > ${since}
`;

/** For a `from` clause without conditions of its own: the requests for permission on which a run under this alias waits. */
export const openPermissionRequests = (sql: Sql, run: Fragment) => sql`
  interactions asked
  where   asked.source_run_id = ${run}.id
  and     asked.status = 'pending'
  and     asked.kind   = 'request_permission'
`;

/** The status of the company of a row under this alias. */
export const companyStatusOf = (sql: Sql, alias: Fragment) => sql`
  (select status from companies where companies.id = ${alias}.company_id) as company_status
`;

/** The spending of an agent, a project or a company in a month, of a row under this alias. */
export const spentInMonthOf = (sql: Sql, alias: Fragment, at: Instant) => sql`
  floor(coalesce((
    select  spent_cents
    from    budget_months
    where   scope_id = ${alias}.id
    and     month = ${monthOf(at)}
  ), 0)) as spent_monthly_cents
`;

/** The stored `Holds` of `agents` and `companies` under these aliases, and the status of the company. */
export const holdsOf = (sql: Sql, { agent, company }: { agent: Fragment; company: Fragment }) => sql`
  ${agent}.held_manually_at, ${agent}.held_by_budget_at, ${company}.held_by_budget_at as company_held_by_budget_at,
  ${company}.status as company_status
`;

/** `isForAssignee` of the core, of a row of `runs` under this alias. */
export const isForAssigneeOf = (sql: Sql, run: Fragment) => sql`
  (
    case when ${run}.wake_reason in ${setOf(sql, retryReasons)}
      then coalesce(${run}.context ->> 'retryOfReason', ${run}.wake_reason)
      else ${run}.wake_reason
    end in ${setOf(sql, reasonsOfAssignees)}
    and coalesce(${run}.context -> 'asAuthor', 'false') <> 'true'
  )
`;

export const hasGates = (sql: Sql, issue: Fragment) => sql`
  exists (select from ${gatesOfIssue(sql, issue)} as gate)
`;

/** `doneAs` of the core, of a row of `issues` under this alias. */
export const doneAsOf = (sql: Sql, issue: Fragment, isGated = hasGates(sql, issue)) => sql`
  case
    when ${issue}.status <> 'done' then null
    when ${issue}.verified_at is not null then 'verified'
    when ${isGated} then 'reported'
  end
`;

/** Whether a row of `issue_branches b` has work that no merge has got in, in a repository that is not removed. */
export const isUnmerged = (sql: Sql) => sql`
  b.head is not null
  and b.head <> b.base_commit
  and b.abandoned_at is null
  and exists (select from repositories where repositories.id = b.repository_id and repositories.removed_at is null)
  and not exists (
    select
    from   merges
    where  merges.issue_id = b.issue_id
    and    merges.repository_id = b.repository_id
    and    merges.from_commit = b.head
    and    merges.state = 'merged'
  )
`;
