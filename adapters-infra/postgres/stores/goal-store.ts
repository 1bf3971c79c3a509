import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Goal, GoalNotFound } from "../../../core/model/goals/goal.ts";
import type { CompanyId, GoalId } from "../../../core/model/shared/ids.ts";
import type { GoalStore } from "../../../ports/stores/goal-store.ts";
import { goalColumns } from "../columns.ts";
import { lockOfCompany } from "../company-locks.ts";
import { linksOf, orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const goalStore = (tx: Statements): GoalStore => ({
  lock: (id) => tx.first(lockGoal(id)).pipe(orFail(() => new GoalNotFound())),
  lockParents: (companyId) =>
    tx
      .write(lockOfCompany("goal parents", companyId))
      .pipe(Effect.andThen(tx.read(goalParents(companyId))), Effect.map(linksOf)),
  insert: (goal) => tx.write(insertGoal(goal)),
  save: (goal) => tx.write(saveGoal(goal)),
});

const lockGoal = (id: GoalId) => (sql: Sql) =>
  sql<Goal[]>`
  select  ${goalColumns(sql)}
  from    goals
  where   id = ${id}
  for     no key update
`;

const goalParents = (companyId: CompanyId) => (sql: Sql) =>
  sql<{ id: GoalId; target: GoalId | null }[]>`
  select  id, parent_id as target
  from    goals
  where   company_id = ${companyId}
`;

const insertGoal = (goal: Goal) => (sql: Sql) =>
  sql`
  insert into goals ${goalColumns.values(sql, goal)}
`;

const savedColumns = goalColumns.without("id, company_id, created_at");

const saveGoal = (goal: Goal) => (sql: Sql) =>
  sql`
  update  goals
  set     ${savedColumns.assign(sql, goal)}
  where   id = ${goal.id}
`;
