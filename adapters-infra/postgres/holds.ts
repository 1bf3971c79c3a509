import type { Sql } from "postgres";
import { budgetHoldsFrom } from "../../core/costs/budget.ts";
import type { Instant } from "../../core/shared/instant.ts";

/** `holdsOn` of the core as a condition on `agents agent` and `companies company`: whether the agent has any hold. */
export const isHeld = (sql: Sql, at: Instant) => sql`
  (
    agent.held_manually_at is not null
    or coalesce(agent.held_by_budget_at >= ${budgetHoldsFrom(at)}, false)
    or company.status <> 'active'
    or coalesce(company.held_by_budget_at >= ${budgetHoldsFrom(at)}, false)
  )
`;
