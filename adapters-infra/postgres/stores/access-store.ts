import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type BoardUser, sessionNameOf, UserNotFound } from "../../../core/model/access/board-user.ts";
import type { Person } from "../../../core/model/access/person.ts";
import type { Role } from "../../../core/model/access/roles.ts";
import type { SignIn } from "../../../core/model/access/sign-in.ts";
import type { CodeFacts, SignInPurpose } from "../../../core/model/access/sign-in-code.ts";
import { urlKeyOf } from "../../../core/model/agents/url-key.ts";
import type { CompanyId, TokenId, UserId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  AccessStore,
  BoardCredential,
  Membership,
  SignInCode,
} from "../../../ports/stores/access-store.ts";
import { userColumns } from "../columns.ts";
import { columnsOf } from "../columns-of.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const accessStore = (tx: Statements): AccessStore => ({
  lockUser: (id) => tx.first(lockUser(id)).pipe(orFail(() => new UserNotFound())),
  findPerson: (id) => tx.first(findPerson(id)).pipe(Effect.map(personOf)),
  holdPerson: (id) =>
    tx.write(holdUser(id)).pipe(Effect.andThen(tx.first(findPerson(id))), Effect.map(personOf)),
  insertUser: (user) => tx.write(insertUser(user)),
  saveUser: (user) => tx.write(saveUser(user)),
  lockAdmins: () => tx.read(lockAdmins).pipe(Effect.map((admins) => admins.map(({ id }) => id))),
  insertCredential: (credential) => tx.write(insertCredential(credential)),
  lockCredential: (id, at) => tx.first(lockCredential(id, at)),
  revokeCredential: (id, userId, at) =>
    tx.first(revokeCredential(id, userId, at)).pipe(Effect.map((revoked) => revoked !== null)),
  revokeCredentials: (userId, at) => tx.write(revokeCredentials(userId, at)),
  endSessions: (userId, which, at) =>
    tx
      .read(endSessions(userId, which, at))
      .pipe(Effect.map((ended) => ended.filter(({ isLive }) => isLive).length)),
  insertSignIn: (signIn) => tx.write(insertSignIn(signIn)),
  devicesOf: (userId) => tx.read(devicesOf(userId)),
  wasRefusedSince: (userId, since) =>
    tx.first(refusedSince(userId, since)).pipe(Effect.map((found) => found !== null)),
  notableSignIns: (userId, since) => tx.read(notableSignIns(userId, since)),
  insertCode: (code) => tx.write(insertCode(code)),
  lockCode: (hash) => tx.first(lockCode(hash)),
  recordCodeUse: (id, at) => tx.write(recordCodeUse(id, at)),
  recordCodeReuse: (id, at) => tx.write(recordCodeReuse(id, at)),
  revokeCodes: (userId, purpose, at) => tx.write(revokeCodes(userId, purpose, at)),
  setRole: (companyId, userId, role, at, provider = null) =>
    tx.write(setRole({ companyId, role, provider }, userId, at)),
  memberships: (userId) => tx.read(memberships(userId)),
  companiesByPrefix: () => tx.read(companiesByPrefix),
  mentionable: (companyId) =>
    Effect.map(tx.read(mentionablePeople(companyId)), (people) =>
      people.map((person) => ({ ...person, urlKey: urlKeyOf(person.name, person.id) })),
    ),
  removeMember: (companyId, userId) =>
    tx.first(removeMember(companyId, userId)).pipe(Effect.map((removed) => removed !== null)),
});

const lockUser = (id: UserId) => (sql: Sql) =>
  sql<BoardUser[]>`
  select  ${userColumns(sql)}
  from    board_users
  where   id = ${id}
  for     no key update
`;

interface PersonRow extends BoardUser {
  readonly roles: Readonly<Record<string, Role>>;
}

const personOf = (row: PersonRow | null): Person | null =>
  row === null ? null : { ...row, roles: new Map(Object.entries(row.roles) as [CompanyId, Role][]) };

const findPerson = (id: UserId) => (sql: Sql) =>
  sql<PersonRow[]>`
  select  ${userColumns(sql)},
          (
            select  coalesce(jsonb_object_agg(company_id, role), '{}')
            from    memberships
            where   user_id = board_users.id
          ) as roles
  from    board_users
  where   id = ${id}
`;

/** Changes of a user and their roles lock the user first. */
const holdUser = (id: UserId) => (sql: Sql) =>
  sql`
  select  id
  from    board_users
  where   id = ${id}
  for     share
`;

const insertUser = (user: BoardUser) => (sql: Sql) =>
  sql`
  insert into board_users ${userColumns.values(sql, user)}
`;

const saveUser = (user: BoardUser) => (sql: Sql) =>
  sql`
  update  board_users
  set     name        = ${user.name},
          is_admin    = ${user.admin},
          disabled_at = ${user.disabledAt}
  where   id = ${user.id}
`;

const lockAdmins = (sql: Sql) => sql<{ id: UserId }[]>`
  select    id
  from      board_users
  where     is_admin
  and       disabled_at is null
  order by  id
  for       no key update
`;

const credentialColumns = columnsOf(`
  id, user_id, kind, name, hash, device, address, provider, verified_at, created_at, expires_at, ends_at
`);

const insertCredential = (credential: BoardCredential) => (sql: Sql) =>
  sql`
  insert into board_tokens ${credentialColumns.values(sql, { device: null, address: null, provider: null, verifiedAt: null, ...credential })}
`;

const lockCredential = (id: TokenId, at: Instant) => (sql: Sql) =>
  sql<Pick<BoardCredential, "kind" | "name" | "expiresAt" | "endsAt" | "provider">[]>`
  select  kind, name, expires_at, ends_at, provider
  from    board_tokens
  where   id = ${id}
  and     revoked_at is null
  and     (expires_at is null or expires_at > ${at})
  for     no key update
`;

const revokeCredential = (id: TokenId, userId: UserId | null, at: Instant) => (sql: Sql) =>
  sql<{ id: TokenId }[]>`
  with revoked as (
    update    board_tokens
    set       revoked_at = ${at}
    where     id = ${id}
    and       (${userId}::uuid is null or user_id = ${userId}::uuid)
    and       revoked_at is null
    and       (expires_at is null or expires_at > ${at})
    returning id, user_id
  ),
  sessions as (
    update  board_tokens s
    set     revoked_at = ${at}
    from    revoked
    where   s.user_id = revoked.user_id
    and     s.kind = 'session'
    and     s.name = ${sessionNameOf(id)}
    and     s.revoked_at is null
  )
  select  id
  from    revoked
`;

const revokeCredentials = (userId: UserId, at: Instant) => (sql: Sql) =>
  sql`
  with codes as (
    update  sign_in_codes
    set     revoked_at = ${at}
    where   user_id = ${userId}
    and     used_at is null
    and     revoked_at is null
  ),
  disconnected as (
    delete from assistants
    where       user_id = ${userId}
  )
  update  board_tokens
  set     revoked_at = ${at}
  where   user_id = ${userId}
  and     revoked_at is null
`;

type Which = Parameters<AccessStore["endSessions"]>[1];

/** All other sessions end, including idle ones, because their browsers may still get notices. */
const endSessions = (userId: UserId, which: Which, at: Instant) => (sql: Sql) =>
  sql<{ id: TokenId; isLive: boolean }[]>`
  update    board_tokens
  set       revoked_at = ${at}
  where     user_id = ${userId}
  and       kind = 'session'
  and       ${"only" in which ? sql`id = ${which.only} and expires_at > ${at}` : sql`id <> ${which.except}`}
  and       revoked_at is null
  returning id, expires_at > ${at} as is_live
`;

const signInColumns = columnsOf(`
  id, user_id, method, refusal, device, address, new_device, created_at
`);

const insertSignIn = (signIn: SignIn) => (sql: Sql) =>
  sql`
  insert into sign_ins ${signInColumns.values(sql, signIn)}
`;

const devicesOf = (userId: UserId) => (sql: Sql) =>
  sql<Pick<SignIn, "device" | "address">[]>`
  select distinct device, address
  from            sign_ins
  where           user_id = ${userId}
  and             refusal is null
`;

const refusedSince = (userId: UserId, since: Instant) => (sql: Sql) =>
  sql<{ id: string }[]>`
  select  id
  from    sign_ins
  where   user_id = ${userId}
  and     refusal is not null
  and     created_at > ${since}
  limit   1
`;

const notableSignIns = (userId: UserId, since: Instant) => (sql: Sql) =>
  sql<SignIn[]>`
  select    ${signInColumns(sql)}
  from      sign_ins
  where     user_id = ${userId}
  and       (new_device or refusal is not null)
  and       created_at > ${since}
  order by  id desc
`;

const codeColumns = columnsOf(`
  id, user_id, purpose, hash, session_name, latest, created_at, expires_at
`);

const insertCode = (code: SignInCode) => (sql: Sql) =>
  sql`
  insert into sign_in_codes ${codeColumns.values(sql, code)}
`;

const lockCode = (hash: Uint8Array) => (sql: Sql) =>
  sql<(SignInCode & CodeFacts)[]>`
  select  c.id, c.user_id, c.purpose, c.hash, c.session_name, c.latest, c.created_at, c.expires_at, c.used_at,
          c.revoked_at, u.disabled_at as user_disabled_at
  from    sign_in_codes c
  join    board_users u on u.id = c.user_id
  where   c.hash = ${hash}
  for     no key update of c
`;

const recordCodeUse = (id: string, at: Instant) => (sql: Sql) =>
  sql`
  update  sign_in_codes
  set     used_at = ${at}
  where   id = ${id}
`;

const recordCodeReuse = (id: string, at: Instant) => (sql: Sql) =>
  sql`
  update  sign_in_codes
  set     reuses        = reuses + 1,
          last_reuse_at = ${at}
  where   id = ${id}
`;

const revokeCodes = (userId: UserId, purpose: SignInPurpose, at: Instant) => (sql: Sql) =>
  sql`
  update  sign_in_codes
  set     revoked_at = ${at}
  where   user_id = ${userId}
  and     purpose = ${purpose}
  and     used_at is null
  and     revoked_at is null
`;

const setRole =
  ({ companyId, role, provider }: Membership, userId: UserId, at: Instant) =>
  (sql: Sql) =>
    sql`
  insert into memberships (company_id, user_id, role, provider, created_at)
  values (${companyId}, ${userId}, ${role}, ${provider}, ${at})
  on conflict (user_id, company_id) do update
  set role     = excluded.role,
      provider = excluded.provider
`;

const memberships = (userId: UserId) => (sql: Sql) =>
  sql<Membership[]>`
  select    company_id, role, provider
  from      memberships
  where     user_id = ${userId}
  order by  company_id
`;

const companiesByPrefix = (sql: Sql) =>
  sql<{ id: CompanyId; issuePrefix: string }[]>`
  select    id, issue_prefix
  from      companies
  where     status <> 'archived'
  order by  id
`;

const mentionablePeople = (companyId: CompanyId) => (sql: Sql) =>
  sql<{ id: UserId; name: string }[]>`
  select  id, name
  from    board_users
  where   disabled_at is null
  and     (
            is_admin
            or id in (
              select  user_id
              from    memberships
              where   company_id = ${companyId}
            )
          )
`;

const removeMember = (companyId: CompanyId, userId: UserId) => (sql: Sql) =>
  sql<{ userId: UserId }[]>`
  delete from memberships
  where     company_id = ${companyId}
  and       user_id = ${userId}
  returning user_id
`;
