import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Goal, GoalNotFound } from "../../../core/goals/goal.ts";
import type { CompanyId, GoalId } from "../../../core/shared/ids.ts";
import type { GoalStore } from "../../../ports/stores/goal-store.ts";
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
  select  id, company_id, title, description, level, status, parent_id, owner_agent_id, archived_at,
          created_at, updated_at
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
  insert into goals (
    id, company_id, title, description, level, status, parent_id, owner_agent_id, archived_at, created_at, updated_at
  )
  values (
    ${goal.id}, ${goal.companyId}, ${goal.title}, ${goal.description}, ${goal.level}, ${goal.status},
    ${goal.parentId}, ${goal.ownerAgentId}, ${goal.archivedAt}, ${goal.createdAt}, ${goal.updatedAt}
  )
`;

const saveGoal = (goal: Goal) => (sql: Sql) =>
  sql`
  update  goals
  set     title          = ${goal.title},
          description    = ${goal.description},
          level          = ${goal.level},
          status         = ${goal.status},
          parent_id      = ${goal.parentId},
          owner_agent_id = ${goal.ownerAgentId},
          archived_at    = ${goal.archivedAt},
          updated_at     = ${goal.updatedAt}
  where   id = ${goal.id}
`;
