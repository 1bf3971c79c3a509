import type { Fragment, Sql } from "postgres";
import type { AgentId, CompanyId, ProjectId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { Statement } from "../database.ts";
import { budgetHoldIsPast } from "../holds.ts";

/** The tables of the records that have budgets. */
type Budgeted = "agents" | "projects" | "companies";

export const setBudgetHold =
  (table: Budgeted, id: AgentId | ProjectId | CompanyId, heldAt: Instant | null) => (sql: Sql) =>
    sql`
  update  ${sql(table)}
  set     held_by_budget_at = ${heldAt}
  where   id = ${id}
`;

export const lockHeldBefore =
  <Row extends object>(
    table: Budgeted,
    columns: (sql: Sql) => Fragment,
    from: Instant,
    limit: number,
  ): Statement<Row> =>
  (sql) =>
    sql<Row[]>`
  select    ${columns(sql)}
  from      ${sql(table)}
  where     id = any(array(
              select    id
              from      ${sql(table)}
              where     ${budgetHoldIsPast(sql, sql`held_by_budget_at`, sql`${from}`)}
              order by  held_by_budget_at
              limit     ${limit}
            ))
  order by  id
  for       no key update skip locked
`;
