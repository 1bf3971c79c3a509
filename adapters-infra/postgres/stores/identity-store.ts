import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { UserId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { GroupsGrant, Identity, IdentityStore } from "../../../ports/stores/identity-store.ts";
import { columnsOf } from "../columns-of.ts";
import type { Statements } from "../transaction.ts";

export const identityStore = (tx: Statements): IdentityStore => ({
  find: (issuer, subject) =>
    tx.first(findIdentity(issuer, subject)).pipe(Effect.map((found) => found?.userId ?? null)),
  insert: (identity) => tx.write(insertIdentity(identity)),
  invite: (userId, address, at) => tx.write(invite(userId, address, at)),
  invitedAt: (address) =>
    tx.read(invitedAt(address)).pipe(Effect.map((found) => found.map(({ userId }) => userId))),
  saveGrant: (grant) => tx.write(saveGrant(grant)),
  takeDueGrants: (providers, before, at, limit) => tx.read(takeDueGrants(providers, before, at, limit)),
  lockGrant: (grant) => tx.first(lockGrant(grant)).pipe(Effect.map((found) => found !== null)),
});

const findIdentity = (issuer: string, subject: string) => (sql: Sql) =>
  sql<{ userId: UserId }[]>`
  select  user_id
  from    identities
  where   issuer = ${issuer}
  and     subject = ${subject}
`;

const identityColumns = columnsOf("issuer, subject, user_id, created_at");

const insertIdentity = (identity: Identity) => (sql: Sql) =>
  sql`
  insert into identities ${identityColumns.values(sql, identity)}
`;

const grantColumns = columnsOf("issuer, subject, user_id, provider, sealed, checked_at");

const saveGrant =
  ({ issuer, subject, provider, sealed, checkedAt }: GroupsGrant) =>
  (sql: Sql) =>
    sql`
  update  identities
  set     provider = ${provider}, sealed = ${sealed}, checked_at = ${checkedAt}
  where   issuer = ${issuer}
  and     subject = ${subject}
`;

const takeDueGrants =
  (providers: readonly string[], before: Instant, at: Instant, limit: number) => (sql: Sql) =>
    sql<GroupsGrant[]>`
  with due as (
    select    i.issuer, i.subject
    from      identities i
    join      board_users u on u.id = i.user_id
    where     i.sealed is not null
    and       i.checked_at < ${before}
    and       i.provider = any(${[...providers]})
    and       u.disabled_at is null
    order by  i.checked_at
    limit     ${limit}
    for       update of i skip locked
  )
  update    identities
  set       checked_at = ${at}
  from      due
  where     identities.issuer = due.issuer
  and       identities.subject = due.subject
  returning ${grantColumns(sql, "identities")}
`;

const lockGrant =
  ({ issuer, subject, sealed, checkedAt }: GroupsGrant) =>
  (sql: Sql) =>
    sql<GroupsGrant[]>`
  select  ${grantColumns(sql)}
  from    identities
  where   issuer = ${issuer}
  and     subject = ${subject}
  and     sealed = ${sealed}
  and     checked_at = ${checkedAt}
  for     update
`;

const invite = (userId: UserId, address: string, at: Instant) => (sql: Sql) =>
  sql`
  insert into invited_addresses (user_id, address, created_at)
  values (${userId}, ${address}, ${at})
`;

/** Locks them, so that one of two sign-ins at once links its account. */
const invitedAt = (address: string) => (sql: Sql) =>
  sql<{ userId: UserId }[]>`
  select    a.user_id
  from      invited_addresses a
  where     a.address = ${address}
  and       not exists (select from identities where user_id = a.user_id)
  order by  a.user_id
  limit     2
  for       update of a
`;
