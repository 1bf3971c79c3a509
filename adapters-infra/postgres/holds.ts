import type { Fragment, Sql } from "postgres";
import { budgetHoldsFrom } from "../../core/model/costs/budget.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** `isHeldAsRestored` of the core. */
export const isHeldAsRestored = (sql: Sql) => sql`
  exists (select from instance_settings where name = 'restored' and value ->> 'releasedAt' is null)
`;

/**
 * `holdsOnWork` of the core as a condition on `agents agent`, `companies company` and `projects project`: whether the
 * agent's work has any hold, where budgets hold from that instant (`budgetHoldsFrom`).
 */
export const isHeld = (sql: Sql, from: Fragment) => sql`
  (
    agent.held_manually_at is not null
    or coalesce(agent.held_by_budget_at >= ${from}, false)
    or company.status <> 'active'
    or coalesce(company.held_by_budget_at >= ${from}, false)
    or coalesce(project.held_by_budget_at >= ${from}, false)
  )
`;

/**
 * Tells whether the budget of the project allows its work; for rows of `issues`. A value instead of `exists`,
 * which a plan for any values turns into a join with all projects.
 */
export const projectGoesOn = (sql: Sql, at: Instant) => sql`
  not coalesce(
    (
      select  project.held_by_budget_at >= ${budgetHoldsFrom(at)}
      from    projects project
      where   project.id = issues.project_id
    ),
    false
  )
`;

/** Whether no budget hold is stored on an agent and its company, whose end will wake the agent. */
export const noOtherBudgetStops = (sql: Sql, agentId: Fragment) => sql`
  exists (
    select
    from   agents agent
    join   companies company on company.id = agent.company_id
    where  agent.id = ${agentId}
    and    agent.held_by_budget_at is null
    and    company.held_by_budget_at is null
  )
`;
