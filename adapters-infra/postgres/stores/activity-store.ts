import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { v7 } from "uuid";
import { actingAssistant, requestOf } from "../../../core/model/access/caller.ts";
import { type ActivityEntry, entityTypeOf } from "../../../core/model/activity/activity-entry.ts";
import type { ActivityStore } from "../../../ports/stores/activity-store.ts";
import { actorRow, json } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const activityStore = (tx: Statements): ActivityStore => ({
  append: (entry) => tx.writeEvent(appendActivity(entry)),
  appendAll: (entries) => (entries.length === 0 ? Effect.void : tx.writeEvent(appendActivities(entries))),
});

const appendActivity = (entry: ActivityEntry) => (sql: Sql) =>
  sql`
  insert into activity (
    id, company_id, actor_kind, actor_id, assistant, run_id, request_id, action, entity_type, entity_id, details, created_at
  )
  values (
    ${v7()}, ${entry.companyId}, ${entry.by.kind}, ${actorRow(entry.by).byId}, ${actingAssistant(entry.by)},
    ${actorRow(entry.by).byRunId}, ${requestOf(entry.by)}, ${entry.action}, ${entityTypeOf(entry.action)}, ${entry.entityId}, ${json(sql, entry.details)}, ${entry.at}
  )
`;

const appendActivities = (entries: readonly ActivityEntry[]) => (sql: Sql) => {
  const rows = entries.map(({ by, ...entry }) => ({
    id: v7(),
    kind: by.kind,
    actorId: actorRow(by).byId,
    assistant: actingAssistant(by),
    runId: actorRow(by).byRunId,
    requestId: requestOf(by),
    entityType: entityTypeOf(entry.action),
    ...entry,
  }));
  return sql`
  insert into activity (
    id, company_id, actor_kind, actor_id, assistant, run_id, request_id, action, entity_type, entity_id, details, created_at
  )
  select  id, "companyId", kind, "actorId", assistant, "runId", "requestId", action, "entityType", "entityId", details, at
  from    jsonb_to_recordset(${json(sql, rows)}) as entry (
            id uuid, "companyId" uuid, kind text, "actorId" uuid, assistant text, "runId" uuid, "requestId" text, action text,
            "entityType" text, "entityId" uuid, details jsonb, at timestamptz
          )
  `;
};
