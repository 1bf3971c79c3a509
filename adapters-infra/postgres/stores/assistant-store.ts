import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { Assistant, AuthorizationCode, RegisteredClient } from "../../../core/model/access/assistant.ts";
import type { AssistantId, UserId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { AssistantStore, AssistantToken } from "../../../ports/stores/assistant-store.ts";
import { columnsOf } from "../columns-of.ts";
import type { Statements } from "../transaction.ts";

export const assistantStore = (tx: Statements): AssistantStore => ({
  findClient: (id) => tx.first(findClient(id)),
  insertClient: (client, most) =>
    tx.write(insertClient(client)).pipe(Effect.andThen(tx.write(deleteUnusedClients(most)))),
  count: (userId, at) => tx.first(count(userId, at)).pipe(Effect.map((row) => row?.connected ?? 0)),
  insert: (assistant, code) =>
    tx
      .write(deleteExpired(assistant.createdAt))
      .pipe(
        Effect.andThen(tx.write(deleteExpiredTokens(assistant.createdAt))),
        Effect.andThen(tx.write(insertAssistant(assistant, code))),
      ),
  lockCode: (hash) => tx.first(lockCode(hash)).pipe(Effect.map(owned)),
  recordCodeUse: (id, at) => tx.write(recordCodeUse(id, at)),
  lockToken: (hash) => tx.first(lockToken(hash)).pipe(Effect.map(owned)),
  recordTokenUse: (hash, at) => tx.write(recordTokenUse(hash, at)),
  insertTokens: (access, refresh) =>
    tx
      .write(insertToken(access))
      .pipe(Effect.andThen(tx.write(insertToken(refresh))), Effect.andThen(tx.write(extend(refresh)))),
  deleteToken: (hash) => tx.write(deleteToken(hash)),
  delete: (id, userId) => tx.first(deleteAssistant(id, userId)),
});

const assistantColumns = columnsOf("id, user_id, client_id, name, host, scopes, created_at, last_used_at");

/** Separates the columns of the assistant from those of its code or token. */
const owned = <A extends Assistant>(row: (A & { readonly granted: Assistant["scopes"] }) | null) =>
  row === null ? null : { ...row, assistant: { ...row, scopes: row.granted } };

const findClient = (id: string) => (sql: Sql) =>
  sql<RegisteredClient[]>`
  select  id, name, redirect_uris, created_at
  from    oauth_clients
  where   id = ${id}
`;

const insertClient =
  ({ id, name, redirectUris, createdAt }: RegisteredClient) =>
  (sql: Sql) =>
    sql`
  insert into oauth_clients (id, name, redirect_uris, created_at)
  values (${id}, ${name}, ${redirectUris as string[]}, ${createdAt})
`;

const deleteUnusedClients = (most: number) => (sql: Sql) =>
  sql`
  delete from oauth_clients
  where  id in (
           select    id
           from      oauth_clients client
           where     not exists (select from assistants where client_id = client.id::text)
           order by  created_at desc, id desc
           offset    ${most}
           for       update skip locked
         )
`;

const count = (userId: UserId, at: Instant) => (sql: Sql) =>
  sql<{ connected: number }[]>`
  select  count(*)::integer as connected
  from    assistants
  where   user_id = ${userId}
  and     expires_at > ${at}
`;

/** Rows that another transaction locks are left to the next time. */
const deleteExpired = (at: Instant) => (sql: Sql) =>
  sql`
  delete from assistants
  where  id in (
           select  id
           from    assistants
           where   expires_at < ${at}
           for     update skip locked
         )
`;

const deleteExpiredTokens = (at: Instant) => (sql: Sql) =>
  sql`
  delete from assistant_tokens
  where  hash in (
           select  hash
           from    assistant_tokens
           where   expires_at < ${at}
           for     update skip locked
         )
`;

const insertAssistant = (assistant: Assistant, code: AuthorizationCode) => (sql: Sql) => {
  const { id, userId, clientId, name, host, scopes, createdAt } = assistant;
  return sql`
  insert into assistants (
    id, user_id, client_id, name, host, scopes, code_hash, code_challenge, code_redirect_uri, code_expires_at,
    expires_at, created_at
  )
  values (
    ${id}, ${userId}, ${clientId}, ${name}, ${host}, ${scopes as string[]}, ${code.hash}, ${code.challenge},
    ${code.redirectUri}, ${code.expiresAt}, ${code.expiresAt}, ${createdAt}
  )
`;
};

type CodeRow = Assistant & AuthorizationCode & { usedAt: Instant | null; granted: Assistant["scopes"] };

const lockCode = (hash: Uint8Array) => (sql: Sql) =>
  sql<CodeRow[]>`
  select  ${assistantColumns(sql, "a")}, a.scopes as granted, a.code_hash as hash, a.code_challenge as challenge,
          a.code_redirect_uri as redirect_uri, a.code_expires_at as expires_at, a.code_used_at as used_at
  from    assistants a
  join    board_users u on u.id = a.user_id
  where   a.code_hash = ${hash}
  and     u.disabled_at is null
  for     no key update of a
`;

const recordCodeUse = (id: AssistantId, at: Instant) => (sql: Sql) =>
  sql`
  update  assistants
  set     code_used_at = ${at},
          last_used_at = ${at}
  where   id = ${id}
`;

type TokenRow = Assistant & AssistantToken & { usedAt: Instant | null; granted: Assistant["scopes"] };

const lockToken = (hash: Uint8Array) => (sql: Sql) =>
  sql<TokenRow[]>`
  select  a.id, a.user_id, a.client_id, a.name, a.host, a.created_at, a.last_used_at, a.scopes as granted,
          t.hash, t.assistant_id, t.kind, t.scopes, t.expires_at, t.used_at
  from    assistant_tokens t
  join    assistants a on a.id = t.assistant_id
  join    board_users u on u.id = a.user_id
  where   t.hash = ${hash}
  and     u.disabled_at is null
  for     no key update of a, t
`;

const recordTokenUse = (hash: Uint8Array, at: Instant) => (sql: Sql) =>
  sql`
  update  assistant_tokens
  set     used_at = ${at}
  where   hash = ${hash}
`;

const insertToken =
  ({ hash, assistantId, kind, scopes, expiresAt, createdAt }: AssistantToken) =>
  (sql: Sql) =>
    sql`
  insert into assistant_tokens (hash, assistant_id, kind, scopes, expires_at, created_at)
  values (${hash}, ${assistantId}, ${kind}, ${scopes as string[]}, ${expiresAt}, ${createdAt})
`;

const extend =
  ({ assistantId, expiresAt }: AssistantToken) =>
  (sql: Sql) =>
    sql`
  update  assistants
  set     expires_at = ${expiresAt}
  where   id = ${assistantId}
`;

const deleteToken = (hash: Uint8Array) => (sql: Sql) =>
  sql`
  delete from assistant_tokens
  where  hash = ${hash}
`;

const deleteAssistant = (id: AssistantId, userId: UserId) => (sql: Sql) =>
  sql<Assistant[]>`
  delete from assistants
  where     id = ${id}
  and       user_id = ${userId}
  returning ${assistantColumns(sql)}
`;
