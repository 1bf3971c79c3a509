import type { Sql } from "postgres";
import type { RunId, RunMessageId } from "../../../core/model/shared/ids.ts";
import type { RunMessageView } from "../../../ports/views/run-views.ts";
import { mayBeRepeated } from "../undelivered-messages.ts";

/** Asked at each signal of work, for all runs of a process at once. */
export const messagesFor = (ids: readonly RunId[]) => (sql: Sql) =>
  sql<{ id: RunId; kind: "message" | "interrupt" }[]>`
  select    id, case when stop_reason = 'turn_interrupted' then 'interrupt' else 'message' end as kind
  from      runs
  where     id = any(${ids}::uuid[])
  and       status = 'running'
  and       (
              stop_reason = 'turn_interrupted'
              or stop_requested_at is null and exists (
                select
                from      run_messages message
                left join comments comment on comment.id = message.comment_id
                where     message.run_id = runs.id
                and       message.state = 'sent'
                and       message.sent_at is null
                and       comment.deleted_at is null
              )
            )
`;

const messageView = (sql: Sql) => sql`
  message.id, message.company_id, message.run_id, message.body, message.comment_id, message.author_user_id,
  (select name from board_users where id = message.author_user_id) as author_name, message.state, message.delivered_at,
  message.next_run_id,
  message.next_run_id is not null and ${mayBeRepeated(sql, sql`message.next_run_id`)} as may_be_repeated,
  message.created_at
`;

export const messageById = (id: RunMessageId) => (sql: Sql) =>
  sql<RunMessageView[]>`
  select  ${messageView(sql)}
  from    run_messages message
  where   message.id = ${id}
`;

export const messagesOf =
  (runId: RunId) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) =>
    sql<RunMessageView[]>`
  select    ${messageView(sql)}
  from      run_messages message
  where     (message.run_id = ${runId} or message.next_run_id = ${runId})
  ${after === null ? sql`` : sql`and message.id > ${after[0]}`}
  order by  message.id
  limit     ${limit}
`;
