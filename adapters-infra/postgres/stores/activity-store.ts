import type { Sql } from "postgres";
import { v7 } from "uuid";
import { type ActivityEntry, entityTypeOf } from "../../../core/activity/activity-entry.ts";
import type { ActivityStore } from "../../../ports/stores/activity-store.ts";
import { actorRow, json } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const activityStore = (tx: Statements): ActivityStore => ({
  append: (entry) => tx.writeEvent(appendActivity(entry)),
});

const appendActivity = (entry: ActivityEntry) => (sql: Sql) =>
  sql`
  insert into activity (
    id, company_id, actor_kind, actor_id, run_id, action, entity_type, entity_id, details, created_at
  )
  values (
    ${v7()}, ${entry.companyId}, ${entry.by.kind}, ${actorRow(entry.by).id}, ${actorRow(entry.by).runId},
    ${entry.action}, ${entityTypeOf(entry.action)}, ${entry.entityId}, ${json(sql, entry.details)}, ${entry.at}
  )
`;
