import type { Fragment, Sql } from "postgres";
import { budgetHoldsFrom } from "../../core/model/costs/budget.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** `isHeldAsRestored` of the core. */
export const isHeldAsRestored = (sql: Sql) => sql`
  exists (select from instance_settings where name = 'restored' and value ->> 'releasedAt' is null)
`;

/**
 * `budgetHolds` of the core on a column `held_by_budget_at`, where budgets hold from that instant (`budgetHoldsFrom`). The only
 * statement of that rule in SQL; null where there is no hold. A test compares the two, and finds columns that are compared
 * elsewhere.
 */
export const budgetHolds = (sql: Sql, heldAt: Fragment, from: Fragment) => sql`${heldAt} >= ${from}`;

/** Whether such a hold is stored that does not apply any more. */
export const budgetHoldIsPast = (sql: Sql, heldAt: Fragment, from: Fragment) => sql`${heldAt} < ${from}`;

/**
 * `holdsOnWork` of the core as a condition on `agents agent`, `companies company` and `projects project`: whether the
 * agent's work has any hold, where budgets hold from that instant (`budgetHoldsFrom`).
 */
export const isHeld = (sql: Sql, from: Fragment) => sql`
  (
    agent.held_manually_at is not null
    or coalesce(${budgetHolds(sql, sql`agent.held_by_budget_at`, from)}, false)
    or company.status <> 'active'
    or coalesce(${budgetHolds(sql, sql`company.held_by_budget_at`, from)}, false)
    or coalesce(${budgetHolds(sql, sql`project.held_by_budget_at`, from)}, false)
  )
`;

/**
 * Whether the budget of the project of an issue under this alias holds its work. A value instead of `exists`, which a plan
 * for any values turns into a join with all projects.
 */
export const projectBudgetHolds = (sql: Sql, issue: Fragment, at: Instant) => sql`
  coalesce(
    (
      select  ${budgetHolds(sql, sql`project.held_by_budget_at`, sql`${budgetHoldsFrom(at)}`)}
      from    projects project
      where   project.id = ${issue}.project_id
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
