import type { Sql } from "postgres";
import { defaultMaxConcurrentRuns } from "../../../core/model/agents/agent-config.ts";
import { budgetHoldsFrom } from "../../../core/model/costs/budget.ts";
import type { AgentId, IssueId, RunId } from "../../../core/model/shared/ids.ts";
import type { ClaimScope } from "../../../ports/stores/run-store.ts";
import { namedRunner } from "../facts.ts";
import { isHeld, isHeldAsRestored } from "../holds.ts";
import { isElsewhere } from "../volumes.ts";

/** A queued run that may be next, and the number of running runs with it. */
export interface ChosenRun {
  readonly id: RunId;
  readonly agentId: AgentId;
  readonly issueId: IssueId | null;
  readonly causedByAgents: boolean;
  readonly ofInstance: number;
  readonly ofCompany: number;
  readonly ofAdapter: number;
  readonly ofAgent: number;
  readonly isHeldAsRestored: boolean;
}

/**
 * Takes the companies in turn: first the one with the fewest running runs, then the one whose last start is oldest,
 * then the oldest run. Skips runs beyond the cap of their agent, company, adapter or the instance, runs that a provider or a person
 * must release first, and runs of agents whose files are elsewhere, so that they do not hide the runs behind them. Includes runs that the gate always refuses,
 * so that they end.
 */
export const chooseRuns = (scope: ClaimScope) => (sql: Sql) => {
  const { adapterTypes, runners, defaultRunner, limit, caps, at } = scope;
  return sql<ChosenRun[]>`
  with running as materialized (
    select    company_id, adapter_type, agent_id, count(*) as runs
    from      runs
    where     status = 'running'
    group by  company_id, adapter_type, agent_id
  ),
  stopping as materialized (
    select  issue_id, agent_id
    from    runs
    where   status = 'running'
    and     stop_requested_at is not null
  ),
  waiting_company as materialized (
    select  company_id,
            (select max(started_at) from runs where runs.company_id = waiting.company_id) as last_start
    from    (select distinct company_id from runs where status = 'queued') as waiting
  ),
  queued as (
    select  run.id, run.agent_id, run.issue_id, run.company_id, run.adapter_type, run.created_at,
            run.caused_by_agents,
            waiting_company.last_start,
            coalesce((agent.runtime_config #>> '{heartbeat,maxConcurrentRuns}')::numeric, ${defaultMaxConcurrentRuns})
                                                                                              as agent_cap,
            (select coalesce(sum(runs), 0) from running)                                      as of_instance,
            (select coalesce(sum(runs), 0) from running where company_id = run.company_id)     as of_company,
            (select coalesce(sum(runs), 0) from running where adapter_type = run.adapter_type) as of_adapter,
            (select coalesce(sum(runs), 0) from running where agent_id = run.agent_id)         as of_agent,
            agent.lifecycle_state <> 'active' or ${isHeld(sql, sql`${budgetHoldsFrom(at)}`)}       as is_refused,
            hold.not_before is not null
              or run.quarantined_since is not null
              or coalesce(run.not_before > ${at}, false)
              or ${isHeldAsRestored(sql)}
              or ${isElsewhere(sql, scope)}
              or (
                issue.assignee_agent_id = run.agent_id
                and exists (
                  select
                  from   stopping
                  where  stopping.issue_id = run.issue_id
                  and    stopping.agent_id <> run.agent_id
                )
              )                                                                               as waits
    from    runs run
    join    agents agent on agent.id = run.agent_id
    join    companies company on company.id = run.company_id
    left join volumes volume on volume.id = agent.volume
    left join issues issue on issue.id = run.issue_id
    left join projects project on project.id = issue.project_id
    join    waiting_company on waiting_company.company_id = run.company_id
    left join account_holds hold on hold.adapter_type = run.adapter_type
                                and hold.account_key = agent.account
                                and hold.not_before > ${at}
    where   run.status = 'queued'
    and     run.adapter_type = any(${adapterTypes}::text[])
    and     coalesce(${namedRunner(sql, { agent: sql`agent`, company: sql`company` })}, ${defaultRunner}) = any(${runners}::text[])
  ),
  by_agent as (
    select  *, row_number() over (partition by agent_id, is_refused order by created_at, id) as rank_in_agent
    from    queued
    where   is_refused or not waits
  ),
  by_company as (
    select  *, row_number() over (partition by company_id, is_refused order by created_at, id) as rank_in_company
    from    by_agent
    where   is_refused or of_agent + rank_in_agent <= agent_cap
  ),
  by_adapter as (
    select  *,
            row_number() over (
              partition by adapter_type, is_refused
              order by     of_company + rank_in_company, last_start nulls first, created_at, id
            ) as rank_in_adapter
    from    by_company
    where   is_refused or of_company + rank_in_company <= ${caps.company}::integer
  ),
  by_instance as (
    select  *,
            row_number() over (
              partition by is_refused
              order by     of_company + rank_in_company, last_start nulls first, created_at, id
            ) as rank_in_instance
    from    by_adapter
    where   is_refused or of_adapter + rank_in_adapter <= ${caps.adapterType}::integer
  )
  select    id, agent_id, issue_id, caused_by_agents, of_instance, of_company, of_adapter, of_agent,
            ${isHeldAsRestored(sql)} as is_held_as_restored
  from      by_instance
  where     is_refused or of_instance + rank_in_instance <= ${caps.instance}::integer
  order by  of_company + rank_in_company, last_start nulls first, created_at, id
  limit     ${limit}
`;
};
