import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { AssistantScope } from "../../../core/model/access/assistant-scope.ts";
import type { AgentCaller } from "../../../core/model/access/caller.ts";
import type { Role } from "../../../core/model/access/roles.ts";
import { sessionIdleSec } from "../../../core/model/access/web-session.ts";
import { liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import {
  type AgentId,
  type CompanyId,
  type IssueId,
  isIssueIdentifier,
  isUuid,
  type RunId,
  type TokenId,
  type UserId,
} from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { AccessViews, Location, Subject } from "../../../ports/views/access-views.ts";
import type { Database, Statement } from "../database.ts";
import { setOf } from "../facts.ts";
import { peopleViews } from "./people-views.ts";

export const accessViews = (database: Database): AccessViews => ({
  boardByHash: (hash, kind, at, address = null) =>
    database.lookUpOnce(keyOf(kind, hash), boardByHash(hash, kind, at)).pipe(
      Effect.tap((row) =>
        row?.isUseStale ? recordUse(database, recordTokenUse(row.tokenId, at, address)) : Effect.void,
      ),
      Effect.map((row) => {
        if (row === null) return null;
        const roles = new Map(Object.entries(row.roles) as [CompanyId, Role][]);
        const { userId, name, admin, tokenId, hasPasskey, verifiedAt: lastAt } = row;
        return {
          kind: "board" as const,
          userId,
          name,
          admin,
          roles,
          tokenId,
          session: kind === "session",
          ...(hasPasskey ? { verification: { lastAt } } : {}),
        };
      }),
    ),
  assistantByHash: (hash, at) =>
    database.lookUpOnce(keyOf("assistant", hash), assistantByHash(hash, at)).pipe(
      Effect.tap((row) =>
        row?.isUseStale ? recordUse(database, recordAssistantUse(row.tokenId, at)) : Effect.void,
      ),
      Effect.map((row) => {
        if (row === null) return null;
        const { userId, name, admin, tokenId, assistantName, scopes } = row;
        const roles = new Map(Object.entries(row.roles) as [CompanyId, Role][]);
        const assistant = { name: assistantName, scopes };
        return { kind: "board" as const, userId, name, admin, roles, tokenId, session: false, assistant };
      }),
    ),
  hasBoardToken: (hash) => database.read(boardTokens(hash)).pipe(Effect.map((rows) => rows.length > 0)),
  agentByKeyHash: (hash, runId, at) =>
    database.lookUpOnce(keyOf(`key ${runId}`, hash), agentByKeyHash(hash, runId, at)).pipe(
      Effect.tap((row) => (row?.isUseStale ? recordUse(database, recordKeyUse(row.keyId, at)) : Effect.void)),
      Effect.map((row) => {
        if (row === null) return null;
        return { caller: callerOf(row, runId), runIsLive: row.runIsLive };
      }),
    ),
  agentByRun: (agentId, runId) =>
    database
      .lookUpOnce(`run ${agentId} ${runId}`, agentByRun(agentId, runId))
      .pipe(
        Effect.map((row) =>
          row === null ? null : { caller: callerOf(row, runId), runIsLive: row.runIsLive },
        ),
      ),
  issueIds: (identifiers, companyId) =>
    database
      .read(issuesByIdentifier(identifiers, companyId))
      .pipe(Effect.map((rows) => new Map(rows.map(({ identifier, id }) => [identifier, id])))),
  locate: (subject, reference, companyId) => {
    const statement = locate[subject](reference, companyId);
    if (statement === null) return Effect.succeed(null);
    return database.lookUpOnce(`${subject} ${companyId} ${reference}`, statement);
  },
  ...peopleViews(database),
});

/** Names the look-up of a credential. */
const keyOf = (kind: string, hash: Uint8Array): string => `${kind} ${Buffer.from(hash).toString("latin1")}`;

const boardTokens = (hash: Uint8Array) => (sql: Sql) =>
  sql`
  select  id
  from    board_tokens
  where   hash = ${hash}
  and     kind = 'token'
`;

/** Of `agents a`: the `self` of a caller. */
const selfOf = (sql: Sql) =>
  sql`a.lifecycle_state, a.held_manually_at, a.held_by_budget_at, a.runtime_config`;

type Self = AgentCaller["self"];

interface AgentRow extends Self {
  readonly agentId: AgentId;
  readonly companyId: CompanyId;
  readonly name: string;
  readonly runIsLive: boolean;
}

const callerOf = (row: AgentRow, runId: RunId | null): AgentCaller => ({
  kind: "agent",
  agentId: row.agentId,
  companyId: row.companyId,
  name: row.name,
  runId,
  self: {
    lifecycleState: row.lifecycleState,
    heldManuallyAt: row.heldManuallyAt,
    heldByBudgetAt: row.heldByBudgetAt,
    runtimeConfig: row.runtimeConfig,
  },
});

/** Runs concurrently with the request, which does not wait for it; after a failure the next use records it. */
const recordUse = (database: Database, statement: Statement) =>
  Effect.forkDetach(Effect.ignoreCause(database.read(statement)));

interface BoardRow {
  readonly userId: UserId;
  readonly name: string;
  readonly admin: boolean;
  readonly tokenId: TokenId;
  readonly roles: Readonly<Record<string, Role>>;
  readonly isUseStale: boolean;
  readonly hasPasskey: boolean;
  readonly verifiedAt: Instant | null;
}

const boardByHash = (hash: Uint8Array, kind: "token" | "session", at: Instant) => (sql: Sql) =>
  sql<BoardRow[]>`
  select  u.id as user_id, u.name, u.is_admin as admin, t.id as token_id,
          (
            select  coalesce(jsonb_object_agg(company_id, role), '{}')
            from    memberships
            where   user_id = u.id
          ) as roles,
          t.last_used_at is null or t.last_used_at < ${at}::timestamptz - interval '1 minute' as is_use_stale,
          t.kind = 'session' and exists (select from passkeys where user_id = u.id) as has_passkey,
          t.verified_at
  from    board_tokens t
  join    board_users u on u.id = t.user_id
  where   t.hash = ${hash}
  and     t.kind = ${kind}
  and     t.revoked_at is null
  and     (t.expires_at is null or t.expires_at > ${at})
  and     u.disabled_at is null
`;

interface AssistantRow extends Omit<BoardRow, "hasPasskey" | "verifiedAt"> {
  readonly assistantName: string;
  readonly scopes: readonly AssistantScope[];
}

const assistantByHash = (hash: Uint8Array, at: Instant) => (sql: Sql) =>
  sql<AssistantRow[]>`
  select  u.id as user_id, u.name, u.is_admin as admin, a.id as token_id,
          (
            select  coalesce(jsonb_object_agg(company_id, role), '{}')
            from    memberships
            where   user_id = u.id
          ) as roles,
          a.last_used_at < ${at}::timestamptz - interval '1 minute' as is_use_stale,
          a.name as assistant_name, t.scopes
  from    assistant_tokens t
  join    assistants a on a.id = t.assistant_id
  join    board_users u on u.id = a.user_id
  where   t.hash = ${hash}
  and     t.kind = 'access'
  and     t.expires_at > ${at}
  and     u.disabled_at is null
`;

const recordAssistantUse = (id: string, at: Instant) => (sql: Sql) =>
  sql`
  update  assistants
  set     last_used_at = ${at}
  where   id = ${id}
  and     last_used_at < ${at}::timestamptz - interval '1 minute'
`;

const recordTokenUse = (id: TokenId, at: Instant, address: string | null) => (sql: Sql) =>
  sql`
  update  board_tokens
  set     last_used_at = ${at},
          address      = case kind when 'session' then coalesce(${address}, address) end,
          expires_at   = case kind
                           when 'session' then least(ends_at, ${at}::timestamptz + ${`${sessionIdleSec} s`}::interval)
                           else expires_at
                         end
  where   id = ${id}
  and     (last_used_at is null or last_used_at < ${at}::timestamptz - interval '1 minute')
`;

const agentByKeyHash = (hash: Uint8Array, runId: RunId | null, at: Instant) => (sql: Sql) =>
  sql<(AgentRow & { keyId: string; isUseStale: boolean })[]>`
  select  a.id as agent_id, a.company_id, a.name, ${selfOf(sql)}, k.id as key_id,
          exists (
            select
            from   runs
            where  id = ${runId}::uuid
            and    agent_id = a.id
            and    status in ${setOf(sql, liveRunStatuses)}
          ) as run_is_live,
          k.last_used_at is null or k.last_used_at < ${at}::timestamptz - interval '1 minute' as is_use_stale
  from    agent_keys k
  join    agents a on a.id = k.agent_id
  where   k.hash = ${hash}
  and     k.revoked_at is null
  and     a.lifecycle_state = 'active'
`;

const recordKeyUse = (id: string, at: Instant) => (sql: Sql) =>
  sql`
  update  agent_keys
  set     last_used_at = ${at}
  where   id = ${id}
  and     (last_used_at is null or last_used_at < ${at}::timestamptz - interval '1 minute')
`;

const agentByRun = (agentId: AgentId, runId: RunId) => (sql: Sql) =>
  sql<AgentRow[]>`
  select  a.id as agent_id, a.company_id, a.name, ${selfOf(sql)},
          r.status in ${setOf(sql, liveRunStatuses)} as run_is_live
  from    runs r
  join    agents a on a.id = r.agent_id
  where   r.id = ${runId}
  and     a.id = ${agentId}
  and     a.lifecycle_state = 'active'
`;

type Locate = (reference: string, companyId: CompanyId | null) => Statement<Location> | null;

/** Of the company of a row. */
const companyStatus = (sql: Sql) =>
  sql`(select status from companies where companies.id = company_id) as company_status`;

const rowOf = (table: string, id: string) => (sql: Sql) =>
  sql<Location[]>`
  select  id, company_id, ${companyStatus(sql)}
  from    ${sql(table)}
  where   id = ${id}
`;

const byId =
  (statement: (id: string) => Statement<Location>): Locate =>
  (reference) =>
    isUuid(reference) ? statement(reference) : null;

const inTable = (table: string): Locate => byId((id) => rowOf(table, id));

/** Null where the reference cannot name such an object. */
const locate: Readonly<Record<Subject, Locate>> = {
  company: byId((id) => companyById(id)),
  agent: (reference, companyId) => {
    if (isUuid(reference)) return rowOf("agents", reference);
    return companyId === null ? null : agentByUrlKey(reference, companyId);
  },
  issue: (reference) => {
    if (isUuid(reference)) return rowOf("issues", reference);
    return isIssueIdentifier(reference) ? issueByIdentifier(reference.toUpperCase()) : null;
  },
  run: inTable("runs"),
  project: inTable("projects"),
  approval: inTable("approvals"),
  grant: inTable("grants"),
  secret: inTable("secrets"),
  vault: inTable("vaults"),
  attachment: inTable("attachments"),
  label: inTable("labels"),
  asset: inTable("assets"),
  goal: inTable("goals"),
  routine: inTable("routines"),
  trigger: byId((id) => triggerById(id)),
  mcpServer: inTable("mcp_servers"),
  eventSubscription: inTable("event_subscriptions"),
  eventDelivery: inTable("event_deliveries"),
  repository: byId((id) => repositoryById(id)),
  workspace: inTable("issue_workspaces"),
};

const companyById = (id: string) => (sql: Sql) =>
  sql<Location[]>`
  select  id, id as company_id, status as company_status
  from    companies
  where   id = ${id}
`;

const triggerById = (id: string) => (sql: Sql) =>
  sql<Location[]>`
  select  id, company_id, ${companyStatus(sql)}
  from    routine_triggers
  where   id = ${id}
  and     deleted_at is null
`;

const repositoryById = (id: string) => (sql: Sql) =>
  sql<Location[]>`
  select  id, company_id, ${companyStatus(sql)}
  from    repositories
  where   id = ${id}
  and     removed_at is null
`;

const agentByUrlKey = (urlKey: string, companyId: CompanyId) => (sql: Sql) =>
  sql<Location[]>`
  select  id, company_id, ${companyStatus(sql)}
  from    agents
  where   company_id = ${companyId}
  and     url_key = ${urlKey.toLowerCase()}
  and     lifecycle_state <> 'terminated'
`;

const issuesByIdentifier = (identifiers: readonly string[], companyId: CompanyId) => (sql: Sql) =>
  sql<{ id: IssueId; identifier: string }[]>`
  select  id, identifier
  from    issues
  where   identifier = any(${identifiers as string[]}::text[])
  and     company_id = ${companyId}
`;

const issueByIdentifier = (identifier: string) => (sql: Sql) =>
  sql<Location[]>`
  select  id, company_id, ${companyStatus(sql)}
  from    issues
  where   identifier = ${identifier}
`;
