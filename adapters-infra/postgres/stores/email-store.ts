import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type {
  EmailAddress,
  EmailConfirmation,
  RecentConfirmations,
} from "../../../core/model/access/email-address.ts";
import type { UserId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { EmailStore } from "../../../ports/stores/email-store.ts";
import type { Statements } from "../transaction.ts";

export const emailStore = (tx: Statements): EmailStore => ({
  find: (userId) => tx.first(addressOf(userId)),
  save: (address) => tx.write(saveAddress(address)),
  insertConfirmation: (confirmation, forgotten) =>
    tx
      .write(deleteForgotten(forgotten))
      .pipe(
        Effect.andThen(tx.write(endConfirmations(confirmation.userId, confirmation.createdAt))),
        Effect.andThen(tx.write(insertConfirmation(confirmation))),
      ),
  useConfirmation: (hash, at) => tx.first(useConfirmation(hash, at)),
  endConfirmations: (userId, at) => tx.write(endConfirmations(userId, at)),
  recentConfirmations: (userId, address, since) =>
    Effect.map(tx.first(recentConfirmations(userId, address, since)), (row) => row!),
});

const addressOf = (userId: UserId) => (sql: Sql) =>
  sql<EmailAddress[]>`
  select  user_id, address, provider, confirmed_at
  from    email_addresses
  where   user_id = ${userId}
`;

const saveAddress =
  ({ userId, address, provider, confirmedAt }: EmailAddress) =>
  (sql: Sql) =>
    sql`
  insert into email_addresses (user_id, address, provider, confirmed_at)
  values (${userId}, ${address}, ${provider}, ${confirmedAt})
  on conflict (user_id) do update
  set    address = excluded.address, provider = excluded.provider, confirmed_at = excluded.confirmed_at
`;

const insertConfirmation =
  ({ id, userId, address, hash, createdAt, expiresAt }: EmailConfirmation) =>
  (sql: Sql) =>
    sql`
  insert into email_confirmations (id, user_id, address, hash, created_at, expires_at)
  values (${id}, ${userId}, ${address}, ${hash}, ${createdAt}, ${expiresAt})
`;

const deleteForgotten = (before: Instant) => (sql: Sql) =>
  sql`
  delete from email_confirmations
  where  id in (
           select  id
           from    email_confirmations
           where   created_at < ${before}
           for     update skip locked
         )
`;

const useConfirmation = (hash: Uint8Array, at: Instant) => (sql: Sql) =>
  sql<EmailConfirmation[]>`
  update    email_confirmations c
  set       ended_at = ${at}
  from      board_users person
  where     c.hash = ${hash}
  and       c.ended_at is null
  and       c.expires_at > ${at}
  and       person.id = c.user_id
  and       person.disabled_at is null
  returning c.id, c.user_id, c.address, c.hash, c.created_at, c.expires_at
`;

const endConfirmations = (userId: UserId, at: Instant) => (sql: Sql) =>
  sql`
  update  email_confirmations
  set     ended_at = ${at}
  where   user_id = ${userId}
  and     ended_at is null
`;

const recentConfirmations = (userId: UserId, address: string, since: Instant) => (sql: Sql) =>
  sql<RecentConfirmations[]>`
  select  count(*) filter (where user_id = ${userId})::integer as of_person,
          count(*) filter (where lower(address) = lower(${address}))::integer as of_address,
          min(created_at) as oldest
  from    email_confirmations
  where   (user_id = ${userId} or lower(address) = lower(${address}))
  and     created_at > ${since}
`;
