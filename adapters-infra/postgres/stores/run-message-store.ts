import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import {
  openMessageStates,
  type ResumedMessage,
  type RunMessage,
  type SentMessage,
} from "../../../core/model/runs/messages/run-message.ts";
import type { Run } from "../../../core/model/runs/run.ts";
import type { RunId, RunMessageId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { RunMessageStore } from "../../../ports/stores/run-message-store.ts";
import { columnsOf } from "../columns-of.ts";
import { setOf } from "../facts.ts";
import type { Statements } from "../transaction.ts";
import { areUncertain, mayBeRepeated } from "../undelivered-messages.ts";

export const runMessageStore = (tx: Statements): RunMessageStore => ({
  insert: (message) => tx.write(insertMessage(message)),
  lock: (id, runId) => tx.first(lockMessage(id, runId)),
  handNext: (runId, known, at) => tx.first(handNextMessage(runId, known, at)),
  save: (message) => tx.write(saveMessage(message)),
  leaveToNextRun: (runIds) => tx.write(leaveMessages(runIds)),
  leaveAgain: (runIds) => tx.write(leaveMessagesAgain(runIds)),
  takeUp: (run, at) => Effect.andThen(tx.write(takeUpMessages(run, at)), tx.read(adoptedMessages(run))),
});

const messageColumns = columnsOf(`
  id, company_id, run_id, agent_id, issue_id, body, comment_id, author_user_id, state, sent_at, delivered_at,
  created_at
`);

const insertMessage = (message: RunMessage) => (sql: Sql) =>
  sql`
  with sent as (
    insert into run_messages ${messageColumns.values(sql, message)}
    returning id
  )
  select  pg_notify('boardroom_work', '')
  from    sent
`;

const lockMessage = (id: RunMessageId, runId: RunId) => (sql: Sql) =>
  sql<RunMessage[]>`
  select  ${messageColumns(sql)}
  from    run_messages
  where   id = ${id}
  and     run_id = ${runId}
  for     no key update
`;

/** Nothing is handed to a run that is being stopped, and no comment that was deleted. */
const handNextMessage = (runId: RunId, known: readonly RunMessageId[], at: Instant) => (sql: Sql) =>
  sql<SentMessage[]>`
  with next as (
    select    message.id, coalesce(message.body, comment.body) as body, comment.location
    from      run_messages message
    join      runs run on run.id = message.run_id
    left join comments comment on comment.id = message.comment_id
    where     message.run_id = ${runId}
    and       message.state = 'sent'
    and       message.id <> all(${known}::uuid[])
    and       comment.deleted_at is null
    and       run.status = 'running'
    and       run.stop_requested_at is null
    order by  message.id
    limit     1
    for       no key update of message
  )
  update    run_messages
  set       sent_at = coalesce(sent_at, ${at})
  from      next
  where     run_messages.id = next.id
  returning run_messages.id, run_messages.comment_id, next.body, next.location,
            coalesce((select name from board_users where id = run_messages.author_user_id), 'Boardroom') as author_name
`;

const saveMessage =
  ({ id, state, deliveredAt }: Pick<RunMessage, "id" | "state" | "deliveredAt">) =>
  (sql: Sql) =>
    sql`
  update  run_messages
  set     state        = ${state},
          delivered_at = ${deliveredAt}
  where   id = ${id}
`;

const leaveMessages = (runIds: readonly RunId[]) => (sql: Sql) =>
  sql`
  update  run_messages
  set     state = 'new_run'
  where   run_id = any(${runIds}::uuid[])
  and     state in ${setOf(sql, openMessageStates)}
  and     delivered_at is null
`;

const leaveMessagesAgain = (runIds: readonly RunId[]) => (sql: Sql) =>
  sql`
  update  run_messages
  set     next_run_id  = null,
          delivered_at = null
  where   next_run_id = any(${runIds}::uuid[])
`;

const takeUpMessages =
  ({ id, agentId, issueId }: Pick<Run, "id" | "agentId" | "issueId">, at: Instant) =>
  (sql: Sql) =>
    sql`
  update  run_messages
  set     next_run_id  = ${id},
          delivered_at = ${at}
  where   agent_id = ${agentId}
  and     issue_id is not distinct from ${issueId}::uuid
  and     state = 'new_run'
  and     (next_run_id is null or ${areUncertain(sql)})
`;

const adoptedMessages =
  ({ id, adapterType }: Pick<Run, "id" | "adapterType">) =>
  (sql: Sql) =>
    sql<ResumedMessage[]>`
  select    message.id, message.comment_id, coalesce(message.body, comment.body) as body, comment.location,
            coalesce(author.name, 'Boardroom') as author_name,
            message.sent_at is not null as was_sent, ${mayBeRepeated(sql, sql`message.next_run_id`)} as may_be_repeated,
            exists (
              select
              from    runs former
              where   former.agent_id = message.agent_id
              and     former.issue_id is not distinct from message.issue_id
              and     former.id >= message.run_id
              and     former.id < message.next_run_id
              and     former.adapter_type = ${adapterType}
              and     former.takes_messages
            ) as adapter_asks
  from      run_messages message
  left join comments comment on comment.id = message.comment_id
  left join board_users author on author.id = message.author_user_id
  where     message.next_run_id = ${id}
  and       comment.deleted_at is null
  order by  message.id
`;
