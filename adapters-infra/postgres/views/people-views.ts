import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { BoardUser } from "../../../core/model/access/board-user.ts";
import { TokenNotFound, UserNotFound } from "../../../core/model/access/board-user.ts";
import { workerRoles } from "../../../core/model/access/person.ts";
import type { SavedView } from "../../../core/model/access/saved-view.ts";
import type { SignIn } from "../../../core/model/access/sign-in.ts";
import type { CompanyId, TokenId, UserId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  AccessViews,
  AssistantView,
  BoardTokenView,
  EmailView,
  MemberView,
  PasskeyView,
  PersonView,
  WebSessionView,
} from "../../../ports/views/access-views.ts";
import { userColumns } from "../columns.ts";
import { columnsOf } from "../columns-of.ts";
import type { Database } from "../database.ts";
import { folded } from "../folded.ts";
import { orFail } from "../rows.ts";

/** Board users with their tokens, links and companies. */
export const peopleViews = (
  database: Database,
): Pick<
  AccessViews,
  | "users"
  | "user"
  | "tokens"
  | "sessions"
  | "passkeys"
  | "assistants"
  | "email"
  | "signIns"
  | "token"
  | "members"
  | "people"
  | "savedViews"
  | "lastLinkReuse"
> => ({
  users: () => database.read(users),
  user: (id) => database.first(user(id)).pipe(orFail(() => new UserNotFound())),
  tokens: (userId) => database.read(tokens(userId)),
  sessions: (userId, at) => database.read(sessions(userId, at)),
  passkeys: (userId) => database.read(passkeys(userId)),
  assistants: (userId, at) => database.read(assistants(userId, at)),
  email: (userId, at) => Effect.map(database.first(email(userId, at)), (row) => row ?? noEmail),
  signIns: (userId, limit) => database.read(signIns(userId, limit)),
  token: (id) => database.first(token(id)).pipe(orFail(() => new TokenNotFound())),
  members: (companyId) => database.read(members(companyId)),
  people: (companyId) => database.read(people(companyId)),
  savedViews: (userId, companyId) => database.read(savedViews(userId, companyId)),
  lastLinkReuse: (userId, since) =>
    database.first(lastLinkReuse(userId, since)).pipe(Effect.map((row) => row?.at ?? null)),
});

const lastLinkReuse = (userId: UserId, since: Instant) => (sql: Sql) =>
  sql<{ at: Instant | null }[]>`
  select  max(last_reuse_at) as at
  from    sign_in_codes
  where   user_id = ${userId}
  and     last_reuse_at > ${since}
`;

const users = (sql: Sql) => sql<BoardUser[]>`
  select    ${userColumns(sql)}
  from      board_users
  order by  id
`;

const user = (id: UserId) => (sql: Sql) =>
  sql<BoardUser[]>`
  select  ${userColumns(sql)}
  from    board_users
  where   id = ${id}
`;

const tokenColumns = columnsOf("id, user_id, name, created_at, expires_at, last_used_at, revoked_at");

const tokens = (userId: UserId) => (sql: Sql) =>
  sql<BoardTokenView[]>`
  select    ${tokenColumns(sql)}
  from      board_tokens
  where     user_id = ${userId}
  and       kind = 'token'
  order by  id desc
`;

/** Those that can still be used. */
const sessions = (userId: UserId, at: Instant) => (sql: Sql) =>
  sql<WebSessionView[]>`
  select    id, created_at, coalesce(last_used_at, created_at) as last_used_at, expires_at, device, address
  from      board_tokens
  where     user_id = ${userId}
  and       kind = 'session'
  and       revoked_at is null
  and       expires_at > ${at}
  order by  id desc
`;

const passkeys = (userId: UserId) => (sql: Sql) =>
  sql<PasskeyView[]>`
  select    id, name, created_at, last_used_at
  from      passkeys
  where     user_id = ${userId}
  order by  id
`;

const assistants = (userId: UserId, at: Instant) => (sql: Sql) =>
  sql<AssistantView[]>`
  select    id, name, host, scopes, created_at, last_used_at
  from      assistants
  where     user_id = ${userId}
  and       code_used_at is not null
  and       expires_at > ${at}
  order by  id
`;

const noEmail: EmailView = {
  address: null,
  confirmedAt: null,
  provider: null,
  unconfirmedAddress: null,
  unconfirmedUntil: null,
};

const email = (userId: UserId, at: Instant) => (sql: Sql) =>
  sql<EmailView[]>`
  select  known.address, known.confirmed_at, known.provider,
          link.address as unconfirmed_address, link.expires_at as unconfirmed_until
  from    board_users person
  left    join email_addresses known on known.user_id = person.id
  left    join lateral (
            select    address, expires_at
            from      email_confirmations
            where     user_id = person.id
            and       ended_at is null
            and       expires_at > ${at}
            order by  created_at desc, id desc
            limit     1
          ) link on true
  where   person.id = ${userId}
`;

const signIns = (userId: UserId, limit: number) => (sql: Sql) =>
  sql<SignIn[]>`
  select    id, user_id, method, refusal, device, address, new_device, created_at
  from      sign_ins
  where     user_id = ${userId}
  order by  id desc
  limit     ${limit}
`;

const token = (id: TokenId) => (sql: Sql) =>
  sql<BoardTokenView[]>`
  select  ${tokenColumns(sql)}
  from    board_tokens
  where   id = ${id}
`;

const members = (companyId: CompanyId) => (sql: Sql) =>
  sql<MemberView[]>`
  select    m.company_id, m.user_id, u.name, m.role
  from      memberships m
  join      board_users u on u.id = m.user_id
  where     m.company_id = ${companyId}
  order by  ${folded(sql, "u.name")}, u.id
`;

/** `mayWorkIn` of the core; a test compares both. */
const people = (companyId: CompanyId) => (sql: Sql) =>
  sql<PersonView[]>`
  select    id as user_id, name
  from      board_users
  where     id in (
              select  id
              from    board_users
              where   is_admin
              union
              select  user_id
              from    memberships
              where   company_id = ${companyId}
              and     role = any(${[...workerRoles]}::text[])
            )
  and       disabled_at is null
  order by  ${folded(sql, "name")}, id
`;

export const savedViews = (userId: UserId, companyId: CompanyId) => (sql: Sql) =>
  sql<SavedView[]>`
  select    id, company_id, user_id, name, query, created_at, updated_at
  from      saved_views
  where     user_id = ${userId}
  and       company_id = ${companyId}
  order by  ${folded(sql, "name")}, id
`;
