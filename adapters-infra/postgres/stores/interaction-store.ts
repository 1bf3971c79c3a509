import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import {
  type Interaction,
  InteractionNotFound,
  type InteractionResult,
} from "../../../core/model/issues/interactions/interaction.ts";
import type { InteractionKind } from "../../../core/model/issues/interactions/interaction-status.ts";
import type { RequestPermission, SuggestTasks } from "../../../core/model/issues/interactions/payload.ts";
import type { AgentId, DocumentId, InteractionId, IssueId, RunId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  InteractionEnd,
  InteractionStore,
  PendingInteraction,
} from "../../../ports/stores/interaction-store.ts";
import { interactionColumns } from "../columns.ts";
import { columnsOf } from "../columns-of.ts";
import { json, orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const interactionStore = (tx: Statements): InteractionStore => ({
  findTasksOutline: (id) => Effect.map(tx.first(findTasksOutline(id)), (found) => found?.outline ?? null),
  lock: (id, issueId) => tx.first(lockInteraction(id, issueId)).pipe(orFail(() => new InteractionNotFound())),
  issueOf: (id) => Effect.map(tx.first(issueOfInteraction(id)), (found) => found?.issueId ?? null),
  agentOf: (id) => Effect.map(tx.first(agentOfInteraction(id)), (found) => found?.createdByAgentId ?? null),
  findByKey: (issueId, key) => tx.first(interactionByKey(issueId, key)),
  lockPending: (of) =>
    tx.read("issueId" in of ? lockPendingOfIssue(of.issueId) : lockPendingAbout(of.documentId)),
  allowedInRun: (runId, issueId) =>
    Effect.map(tx.read(allowedInRun(runId, issueId)), (rows) => rows.map(({ payload }) => payload)),
  insert: (interaction) => tx.write(insertInteraction(interaction)),
  save: (interaction) => tx.write(saveInteraction(interaction)),
  expireOfRuns: (runIds, result, at) => tx.read(expireOfRuns(runIds, result, at)),
});

const findTasksOutline = (id: InteractionId) => (sql: Sql) =>
  sql<{ outline: SuggestTasks | null }[]>`
  select  outline
  from    interactions
  where   id = ${id}
`;

const lockInteraction = (id: InteractionId, issueId: IssueId) => (sql: Sql) =>
  sql<Interaction[]>`
  select  ${interactionColumns(sql)}
  from    interactions
  where   id = ${id}
  and     issue_id = ${issueId}
  for     no key update
`;

/** A `PendingInteraction`. */
const pendingColumns = columnsOf("id, company_id, issue_id, kind, ends_by_comment, created_by_agent_id");

const allowedInRun = (runId: RunId, issueId: IssueId) => (sql: Sql) =>
  sql<{ payload: RequestPermission }[]>`
  select    payload
  from      interactions
  where     issue_id = ${issueId}
  and       source_run_id = ${runId}
  and       kind = 'request_permission'
  and       status = 'accepted'
  and       result ->> 'always' = 'run'
  order by  id
`;

const issueOfInteraction = (id: InteractionId) => (sql: Sql) =>
  sql<{ issueId: IssueId }[]>`
  select  issue_id
  from    interactions
  where   id = ${id}
`;

const agentOfInteraction = (id: InteractionId) => (sql: Sql) =>
  sql<{ createdByAgentId: AgentId | null }[]>`
  select  created_by_agent_id
  from    interactions
  where   id = ${id}
`;

const interactionByKey = (issueId: IssueId, key: string) => (sql: Sql) =>
  sql<Interaction[]>`
  select  ${interactionColumns(sql)}
  from    interactions
  where   issue_id = ${issueId}
  and     idempotency_key = ${key}
`;

const lockPendingOfIssue = (issueId: IssueId) => (sql: Sql) =>
  sql<PendingInteraction[]>`
  select    ${pendingColumns(sql)}
  from      interactions
  where     issue_id = ${issueId}
  and       status = 'pending'
  order by  id
  for       no key update
`;

const lockPendingAbout = (documentId: DocumentId) => (sql: Sql) =>
  sql<PendingInteraction[]>`
  select    ${pendingColumns(sql)}
  from      interactions
  where     target_document_id = ${documentId}
  and       status = 'pending'
  order by  id
  for       no key update
`;

const insertInteraction = (interaction: Interaction) => (sql: Sql) =>
  sql`
  insert into interactions ${interactionColumns.values(sql, interaction)}
`;

const savedColumns = columnsOf(`
  status, result jsonb, resolved_by_agent_id, resolved_by_user_id, resolved_at, updated_at
`);

const saveInteraction = (interaction: InteractionEnd) => (sql: Sql) =>
  sql`
  with saved as (
    update    interactions
    set       ${savedColumns.assign(sql, interaction)}
    where     id = ${interaction.id}
    returning kind
  )
  select  pg_notify('boardroom_work', '')
  from    saved
  where   kind = ${"request_permission" satisfies InteractionKind}
`;

const expireOfRuns = (runIds: readonly RunId[], result: InteractionResult, at: Instant) => (sql: Sql) =>
  sql<PendingInteraction[]>`
  update    interactions
  set       status      = 'expired',
            result      = ${json(sql, result)},
            resolved_at = ${at},
            updated_at  = ${at}
  where     source_run_id = any(${runIds}::uuid[])
  and       status = 'pending'
  and       kind   = ${"request_permission" satisfies InteractionKind}
  returning ${pendingColumns(sql)}
`;
