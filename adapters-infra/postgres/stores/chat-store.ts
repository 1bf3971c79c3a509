import type { Sql } from "postgres";
import type { UserId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { ChatStore, SealedChat } from "../../../ports/stores/chat-store.ts";
import { columnsOf } from "../columns-of.ts";
import type { Statements } from "../transaction.ts";

export const chatStore = (tx: Statements): ChatStore => ({
  find: (userId) => tx.first(chatOf(userId)),
  save: (chat) => tx.write(saveChat(chat)),
  delete: (userId) => tx.write(deleteChat(userId)),
  recordAttempt: (chat, at, error) => tx.write(recordAttempt(chat, at, error)),
});

const chatColumns = columnsOf("user_id, format, url, sealed, created_at, last_used_at, last_error");

const chatOf = (userId: UserId) => (sql: Sql) =>
  sql<SealedChat[]>`
  select  ${chatColumns(sql)}
  from    notice_chats
  where   user_id = ${userId}
`;

const saveChat = (chat: SealedChat) => (sql: Sql) =>
  sql`
  insert into notice_chats ${chatColumns.values(sql, chat)}
  on conflict (user_id) do update
  set    format = excluded.format, url = excluded.url, sealed = excluded.sealed, created_at = excluded.created_at,
         last_used_at = excluded.last_used_at, last_error = excluded.last_error
`;

const deleteChat = (userId: UserId) => (sql: Sql) =>
  sql`
  delete from notice_chats
  where  user_id = ${userId}
`;

const recordAttempt =
  ({ userId, createdAt }: Pick<SealedChat, "userId" | "createdAt">, at: Instant, error: string | null) =>
  (sql: Sql) =>
    sql`
  update  notice_chats
  set     last_used_at = case when ${error}::text is null then ${at} else last_used_at end,
          last_error   = ${error}
  where   user_id = ${userId}
  and     created_at = ${createdAt}
`;
