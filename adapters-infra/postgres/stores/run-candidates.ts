import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import { defaultMaxConcurrentRuns } from "../../../core/agents/agent-config.ts";
import type { Issue } from "../../../core/issues/issue.ts";
import type { Running } from "../../../core/runs/gate.ts";
import { loopWindowStart, type RecentRuns } from "../../../core/runs/loop-breaker.ts";
import type { Run } from "../../../core/runs/run.ts";
import type { AgentId, IssueId, RunId } from "../../../core/shared/ids.ts";
import type { Instant } from "../../../core/shared/instant.ts";
import type { AgentInCompany } from "../../../ports/stores/agent-store.ts";
import type { Candidate, ClaimScope, RunStore } from "../../../ports/stores/run-store.ts";
import { agentInCompany, issueColumns, runColumns } from "../columns.ts";
import { isHeld } from "../holds.ts";
import type { Statements } from "../transaction.ts";

/** Any number that nobody else of this database locks. */
const claimLock = 7_203_452;

interface History extends RecentRuns {
  readonly id: RunId;
  readonly accountHeldUntil: Instant | null;
}

interface Chosen {
  readonly id: RunId;
  readonly agentId: AgentId;
  readonly issueId: IssueId | null;
  readonly ofInstance: number;
  readonly ofCompany: number;
  readonly ofAdapter: number;
  readonly ofAgent: number;
}

/**
 * In two steps: who may be next, and then, in the common order, their locks. Agents and issues are waited for: whoever
 * holds them holds nothing that a claim has, and passing over them would leave their runs to the next slow look. A run
 * that somebody holds is passed over instead: its holder is about to tell the servers, or to end it.
 */
export const lockCandidates =
  (tx: Statements): RunStore["lockCandidates"] =>
  (scope) =>
    Effect.gen(function* () {
      yield* tx.write(takeTurn);
      const chosen = yield* tx.read(chooseCandidates(scope));
      if (chosen.length === 0) return [];
      const runIds = chosen.map(({ id }) => id);
      const issueIds = chosen.flatMap(({ issueId }) => issueId ?? []);
      yield* tx.write(keepCompaniesStill(runIds));
      const [agents, issues, runs, blockers, histories] = yield* Effect.all(
        [
          tx.read(lockAgents([...new Set(chosen.map(({ agentId }) => agentId))])),
          issueIds.length === 0 ? Effect.succeed([]) : tx.read(lockIssues(issueIds)),
          tx.read(lockQueuedRuns(runIds)),
          issueIds.length === 0 ? Effect.succeed([]) : tx.read(openBlockersOf(issueIds)),
          tx.read(historiesOf(runIds, scope.at)),
        ],
        { concurrency: "unbounded" },
      );
      return assemble(chosen, agents, issues, runs, blockers, histories);
    });

const assemble = (
  chosen: readonly Chosen[],
  agents: readonly AgentInCompany[],
  issues: readonly Issue[],
  runs: readonly Run[],
  blockers: readonly { readonly issueId: IssueId; readonly blockedById: IssueId }[],
  histories: readonly History[],
): readonly Candidate[] => {
  const agentOf = new Map(agents.map((agent) => [agent.id, agent]));
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]));
  const runOf = new Map(runs.map((run) => [run.id, run]));
  const historyOf = new Map(histories.map((history) => [history.id, history]));
  return chosen.flatMap((choice) => {
    const run = runOf.get(choice.id);
    const agent = agentOf.get(choice.agentId);
    const history = historyOf.get(choice.id);
    if (run === undefined || agent === undefined || history === undefined) return [];
    const { accountHeldUntil, ...recent } = history;
    const issue = run.issueId === null ? null : (issueOf.get(run.issueId) ?? null);
    const running: Running = {
      instance: choice.ofInstance,
      company: choice.ofCompany,
      adapterType: choice.ofAdapter,
      agent: choice.ofAgent,
    };
    const openBlockers = blockers
      .filter(({ issueId }) => issueId === run.issueId)
      .map(({ blockedById }) => blockedById);
    return [{ run, agent, issue, openBlockers, running, accountHeldUntil, recent }];
  });
};

const takeTurn = (sql: Sql) => sql`
  select pg_advisory_xact_lock(${claimLock})
`;

/** Whether a person has done something about the issue of `runs run` since then, or has woken the agent for it. */
const personActed = (sql: Sql, since: Fragment) => sql`
  exists (
    select
    from    activity
    where   activity.entity_id = run.issue_id
    and     activity.actor_kind = 'board'
    and     activity.created_at > ${since}
  )
  or exists (
    select
    from    wakes
    where   wakes.by_kind = 'board'
    and     wakes.created_at > ${since}
    and     wakes.agent_id = run.agent_id
    and     wakes.issue_id is not distinct from run.issue_id
  )
`;

/**
 * Every company in its turn: whoever has the fewest running runs is next, of those whoever has waited longest for a
 * start, and then the oldest run; but none of an agent, company or adapter beyond what its cap leaves free, and none
 * that a provider or a person must release first, so that those who have to wait do not hide the others behind them.
 * What the gate would refuse in any case is let through to be refused.
 */
const chooseCandidates =
  ({ adapterTypes, limit, caps, at }: ClaimScope) =>
  (sql: Sql) =>
    sql<Chosen[]>`
  with running as materialized (
    select    company_id, adapter_type, agent_id, count(*) as runs
    from      runs
    where     status = 'running'
    group by  company_id, adapter_type, agent_id
  ),
  waiting_company as materialized (
    select  company_id,
            (select max(started_at) from runs where runs.company_id = waiting.company_id) as last_start
    from    (select distinct company_id from runs where status = 'queued') as waiting
  ),
  queued as (
    select  run.id, run.agent_id, run.issue_id, run.company_id, run.adapter_type, run.created_at,
            waiting_company.last_start,
            coalesce((agent.runtime_config #>> '{heartbeat,maxConcurrentRuns}')::numeric, ${defaultMaxConcurrentRuns})
                                                                                              as agent_cap,
            (select coalesce(sum(runs), 0) from running)                                      as of_instance,
            (select coalesce(sum(runs), 0) from running where company_id = run.company_id)     as of_company,
            (select coalesce(sum(runs), 0) from running where adapter_type = run.adapter_type) as of_adapter,
            (select coalesce(sum(runs), 0) from running where agent_id = run.agent_id)         as of_agent,
            agent.standing <> 'active' or ${isHeld(sql, at)}                                   as hopeless,
            hold.not_before is not null
              or (run.held_since is not null and not (${personActed(sql, sql`run.held_since`)})) as on_hold
    from    runs run
    join    agents agent on agent.id = run.agent_id
    join    companies company on company.id = run.company_id
    join    waiting_company on waiting_company.company_id = run.company_id
    left join account_holds hold on hold.adapter_type = run.adapter_type
                                and hold.account_key = agent.account_key
                                and hold.not_before > ${at}
    where   run.status = 'queued'
    and     run.adapter_type = any(${adapterTypes}::text[])
  ),
  by_agent as (
    select  *, row_number() over (partition by agent_id, hopeless order by created_at, id) as place_in_agent
    from    queued
    where   hopeless or not on_hold
  ),
  by_company as (
    select  *, row_number() over (partition by company_id, hopeless order by created_at, id) as place_in_company
    from    by_agent
    where   hopeless or of_agent + place_in_agent <= agent_cap
  ),
  by_adapter as (
    select  *,
            row_number() over (
              partition by adapter_type, hopeless
              order by     of_company + place_in_company, last_start nulls first, created_at, id
            ) as place_in_adapter
    from    by_company
    where   hopeless or of_company + place_in_company <= ${caps.company}::integer
  )
  select    id, agent_id, issue_id, of_instance, of_company, of_adapter, of_agent
  from      by_adapter
  where     hopeless
  or        (of_adapter + place_in_adapter <= ${caps.adapterType}::integer and of_instance < ${caps.instance}::integer)
  order by  of_company + place_in_company, last_start nulls first, created_at, id
  limit     ${limit}
`;

/** What the gate asks of the past: since when its account is held, and how often the same has run lately. */
const historiesOf = (ids: readonly RunId[], at: Instant) => (sql: Sql) =>
  sql<History[]>`
  select  run.id,
          hold.not_before as account_held_until,
          (
            select  count(*)
            from    runs other
            where   other.agent_id = run.agent_id
            and     other.started_at > person.acted_at
            and     other.issue_id is not distinct from run.issue_id
            and     other.wake_reason = run.wake_reason
          ) as of_cause,
          (
            select  count(*)
            from    runs other
            where   other.issue_id = run.issue_id
            and     other.started_at > person.acted_at
          ) as of_issue
  from    runs run
  join    agents agent on agent.id = run.agent_id
  left join account_holds hold on hold.adapter_type = run.adapter_type
                              and hold.account_key = agent.account_key
                              and hold.not_before > ${at}
  cross join lateral (
    select  greatest(
              ${loopWindowStart(at)}::timestamptz,
              (
                select  max(created_at)
                from    activity
                where   activity.entity_id = run.issue_id
                and     activity.actor_kind = 'board'
              ),
              (
                select  max(created_at)
                from    wakes
                where   wakes.by_kind = 'board'
                and     wakes.created_at > ${loopWindowStart(at)}
                and     (wakes.issue_id = run.issue_id or (wakes.issue_id is null and wakes.agent_id = run.agent_id))
              )
            ) as acted_at
  ) as person
  where   run.id = any(${ids}::uuid[])
`;

/** A company that is being stopped is waited for, and one that is stopped next sees what is started now: nothing between. */
const keepCompaniesStill = (ids: readonly RunId[]) => (sql: Sql) =>
  sql`
  select    id
  from      companies
  where     id = any(array(select company_id from runs where id = any(${ids}::uuid[])))
  order by  id
  for       share
`;

const lockAgents = (ids: readonly AgentId[]) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select    ${agentInCompany(sql)}
  from      agents a
  join      companies c on c.id = a.company_id
  where     a.id = any(${ids}::uuid[])
  order by  a.id
  for       no key update of a
`;

const lockIssues = (ids: readonly IssueId[]) => (sql: Sql) =>
  sql<Issue[]>`
  select    ${issueColumns(sql)}
  from      issues
  where     id = any(${ids}::uuid[])
  order by  id
  for       no key update
`;

const lockQueuedRuns = (ids: readonly RunId[]) => (sql: Sql) =>
  sql<Run[]>`
  select    ${runColumns(sql)}
  from      runs
  where     id = any(${ids}::uuid[])
  and       status = 'queued'
  order by  id
  for       no key update skip locked
`;

const openBlockersOf = (ids: readonly IssueId[]) => (sql: Sql) =>
  sql<{ issueId: IssueId; blockedById: IssueId }[]>`
  select    link.issue_id, link.blocked_by_id
  from      issue_blockers link
  join      issues blocker on blocker.id = link.blocked_by_id
  where     link.issue_id = any(${ids}::uuid[])
  and       blocker.status not in ('done', 'cancelled')
  order by  link.blocked_by_id
`;
