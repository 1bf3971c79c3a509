import type { Sql } from "postgres";
import { type Interaction, InteractionNotFound } from "../../../core/issues/interactions/interaction.ts";
import type { DocumentId, InteractionId, IssueId } from "../../../core/shared/ids.ts";
import type { CardEnd, InteractionStore, PendingCard } from "../../../ports/stores/interaction-store.ts";
import { interactionColumns } from "../columns.ts";
import { json, orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const interactionStore = (tx: Statements): InteractionStore => ({
  lock: (id, issueId) => tx.first(lockInteraction(id, issueId)).pipe(orFail(() => new InteractionNotFound())),
  findByKey: (issueId, key) => tx.first(interactionByKey(issueId, key)),
  lockPending: (of) =>
    tx.read("issueId" in of ? lockPendingOfIssue(of.issueId) : lockPendingAbout(of.documentId)),
  insert: (interaction) => tx.write(insertInteraction(interaction)),
  save: (interaction) => tx.write(saveInteraction(interaction)),
});

const lockInteraction = (id: InteractionId, issueId: IssueId) => (sql: Sql) =>
  sql<Interaction[]>`
  select  ${interactionColumns(sql)}
  from    interactions
  where   id = ${id}
  and     issue_id = ${issueId}
  for     no key update
`;

const interactionByKey = (issueId: IssueId, key: string) => (sql: Sql) =>
  sql<Interaction[]>`
  select  ${interactionColumns(sql)}
  from    interactions
  where   issue_id = ${issueId}
  and     idempotency_key = ${key}
`;

const lockPendingOfIssue = (issueId: IssueId) => (sql: Sql) =>
  sql<PendingCard[]>`
  select    id, company_id, issue_id, kind, ends_by_comment, created_by_agent_id
  from      interactions
  where     issue_id = ${issueId}
  and       status = 'pending'
  order by  id
  for       no key update
`;

const lockPendingAbout = (documentId: DocumentId) => (sql: Sql) =>
  sql<PendingCard[]>`
  select    id, company_id, issue_id, kind, ends_by_comment, created_by_agent_id
  from      interactions
  where     target_document_id = ${documentId}
  and       status = 'pending'
  order by  id
  for       no key update
`;

const insertInteraction = (card: Interaction) => (sql: Sql) =>
  sql`
  insert into interactions (${interactionColumns(sql)})
  values (
    ${card.id}, ${card.companyId}, ${card.issueId}, ${card.kind}, ${card.status}, ${card.continuationPolicy},
    ${card.idempotencyKey}, ${card.title}, ${card.summary}, ${json(sql, card.payload)},
    ${card.result === null ? null : json(sql, card.result)}, ${card.endsByComment}, ${card.targetDocumentId},
    ${card.sourceRunId}, ${card.createdByAgentId}, ${card.createdByUserId}, ${card.resolvedByAgentId},
    ${card.resolvedByUserId}, ${card.resolvedAt}, ${card.createdAt}, ${card.updatedAt}
  )
`;

const saveInteraction = (card: CardEnd) => (sql: Sql) =>
  sql`
  update  interactions
  set     status               = ${card.status},
          result               = ${card.result === null ? null : json(sql, card.result)},
          resolved_by_agent_id = ${card.resolvedByAgentId},
          resolved_by_user_id  = ${card.resolvedByUserId},
          resolved_at          = ${card.resolvedAt},
          updated_at           = ${card.updatedAt}
  where   id = ${card.id}
`;
