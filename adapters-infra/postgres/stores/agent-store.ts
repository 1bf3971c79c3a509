import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Agent, AgentNotFound } from "../../../core/model/agents/agent.ts";
import type { Mentionable } from "../../../core/model/issues/comments/mentions.ts";
import {
  type AgentId,
  type AgentKeyId,
  type CompanyId,
  isUuid,
  type RevisionId,
  type VolumeId,
} from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  AgentConfigRevision,
  AgentInCompany,
  AgentKey,
  AgentStore,
} from "../../../ports/stores/agent-store.ts";
import { agentColumns, agentInCompany, configRevisionColumns } from "../columns.ts";
import { lockOfCompany } from "../company-locks.ts";
import { budgetHoldIsPast } from "../holds.ts";
import { linksOf, orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";
import { setBudgetHold } from "./budget-holds.ts";

export const agentStore = (tx: Statements): AgentStore => ({
  lock: (id) => tx.first(lockAgent(id)).pipe(orFail(() => new AgentNotFound())),
  lockAll: (ids) => tx.read(lockAgents(ids)),
  findInCompany: (id, companyId) => tx.first(findAgentInCompany(id, companyId)),
  findByReference: (reference, companyId) => tx.first(findAgentByReference(reference, companyId)),
  lockShared: (id) => tx.first(lockAgentShared(id)),
  findAll: (ids, companyId) => (ids.length === 0 ? Effect.succeed([]) : tx.read(findAgents(ids, companyId))),
  mentionable: (companyId) => tx.read(mentionableAgents(companyId)),
  lockChainOfCommand: (companyId) =>
    tx
      .write(lockOfCompany("chain of command", companyId))
      .pipe(Effect.andThen(tx.read(managers(companyId))), Effect.map(linksOf)),
  insert: (agent) => tx.write(insertAgent(agent)),
  save: (agent) => tx.write(saveAgent(agent)),
  saveRenamed: (agent) => tx.write(saveAgent(agent)),
  recordHeartbeats: (ended, at) => (ended.length === 0 ? Effect.void : tx.write(recordHeartbeats(ended, at))),
  lockDueTimers: (at, limit) => tx.read(lockDueTimers(at, limit)),
  lockTimersTooFar: (at, limit) => tx.read(lockTimersTooFar(at, limit)),
  setBudgetHold: (id, heldAt) => tx.write(setBudgetHold("agents", id, heldAt)),
  lockHeldBefore: (at, limit) => tx.read(lockHeldAgents(at, limit)),
  setVolume: (ids, volume, at) => tx.write(setVolume(ids, volume, at)),
  setNextTimer: (id, at) => tx.write(setNextTimer(id, at)),
  insertKey: (key) => tx.write(insertAgentKey(key)),
  revokeKey: (id, agentId, at) =>
    tx.first(revokeAgentKey(id, agentId, at)).pipe(Effect.map((revoked) => revoked !== null)),
  revokeKeys: (agentId, at) => tx.write(revokeAgentKeys(agentId, at)),
  insertRevision: (revision) => tx.write(insertRevision(revision)),
  findRevision: (id, agentId) => tx.first(findRevision(id, agentId)),
});

const lockAgent = (id: AgentId) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select  ${agentInCompany(sql)}
  from    agents a
  join    companies c on c.id = a.company_id
  where   a.id = ${id}
  for     no key update of a
`;

/** Locks those that exist, ids ascending. */
export const lockAgents = (ids: readonly AgentId[]) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select    ${agentInCompany(sql)}
  from      agents a
  join      companies c on c.id = a.company_id
  where     a.id = any(${ids}::uuid[])
  order by  a.id
  for       no key update of a
`;

const lockAgentShared = (id: AgentId) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select  ${agentInCompany(sql)}
  from    agents a
  join    companies c on c.id = a.company_id
  where   a.id = ${id}
  for     share of a, c skip locked
`;

const findAgentInCompany = (id: AgentId, companyId: CompanyId) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select  ${agentInCompany(sql)}
  from    agents a
  join    companies c on c.id = a.company_id
  where   a.id = ${id}
  and     a.company_id = ${companyId}
`;

const findAgentByReference = (reference: string, companyId: CompanyId) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select    ${agentInCompany(sql)}
  from      agents a
  join      companies c on c.id = a.company_id
  where     a.company_id = ${companyId}
  and       (a.id = ${isUuid(reference) ? reference : null}::uuid or a.url_key = ${reference.toLowerCase()})
  order by  a.url_key = ${reference.toLowerCase()}, a.lifecycle_state = 'terminated', a.id desc
  limit     1
`;

const findAgents = (ids: readonly AgentId[], companyId: CompanyId) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select  ${agentInCompany(sql)}
  from    agents a
  join    companies c on c.id = a.company_id
  where   a.id = any(${ids}::uuid[])
  and     a.company_id = ${companyId}
  and     a.lifecycle_state <> 'terminated'
`;

const mentionableAgents = (companyId: CompanyId) => (sql: Sql) =>
  sql<Mentionable[]>`
  select  id, name, url_key
  from    agents
  where   company_id = ${companyId}
  and     lifecycle_state <> 'terminated'
`;

const managers = (companyId: CompanyId) => (sql: Sql) =>
  sql<{ id: AgentId; target: AgentId | null }[]>`
  select  id, reports_to as target
  from    agents
  where   company_id = ${companyId}
  and     lifecycle_state <> 'terminated'
`;

const insertAgent = (agent: Agent) => (sql: Sql) =>
  sql`
  insert into agents ${agentColumns.values(sql, agent)}
`;

const savedColumns = agentColumns.without("id, company_id, created_at");

const saveAgent = (agent: Agent) => (sql: Sql) =>
  sql`
  update  agents
  set     ${savedColumns.assign(sql, agent)}
  where   id = ${agent.id}
`;

const recordHeartbeats = (ended: Parameters<AgentStore["recordHeartbeats"]>[0], at: Instant) => (sql: Sql) =>
  sql`
  update  agents
  set     last_heartbeat_at = ${at},
          error_reason      = ended.error_reason
  from    unnest(
            ${ended.map(({ agentId }) => agentId)}::uuid[], ${ended.map(({ errorReason }) => errorReason)}::text[]
          ) as ended (agent_id, error_reason)
  where   agents.id = ended.agent_id
`;

const lockDueTimers = (at: Instant, limit: number) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select    ${agentInCompany(sql)}
  from      agents a
  join      companies c on c.id = a.company_id
  where     a.next_timer_at <= ${at}
  and       a.lifecycle_state = 'active'
  order by  a.next_timer_at
  limit     ${limit}
  for       no key update of a skip locked
`;

const lockTimersTooFar = (at: Instant, limit: number) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select    ${agentInCompany(sql)}
  from      agents a
  join      companies c on c.id = a.company_id
  where     a.next_timer_at
              > ${at}::timestamptz + make_interval(secs => (a.runtime_config #>> '{heartbeat,intervalSec}')::float8)
  and       a.lifecycle_state = 'active'
  limit     ${limit}
  for       no key update of a skip locked
`;

const lockHeldAgents = (from: Instant, limit: number) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select    ${agentInCompany(sql)}
  from      agents a
  join      companies c on c.id = a.company_id
  where     a.id = any(array(
              select    id
              from      agents
              where     ${budgetHoldIsPast(sql, sql`held_by_budget_at`, sql`${from}`)}
              order by  held_by_budget_at
              limit     ${limit}
            ))
  order by  a.id
  for       no key update of a skip locked
`;

const setVolume = (ids: readonly AgentId[], volume: VolumeId | null, at: Instant) => (sql: Sql) =>
  sql`
  with moved as (
    update  agents
    set     volume       = ${volume},
            volume_since = ${volume === null ? null : at}
    where   id = any(${ids}::uuid[])
  )
  select pg_notify('boardroom_work', '')
`;

const setNextTimer = (id: AgentId, at: Instant | null) => (sql: Sql) =>
  sql`
  update  agents
  set     next_timer_at = ${at}
  where   id = ${id}
`;

const insertAgentKey = (key: AgentKey) => (sql: Sql) =>
  sql`
  insert into agent_keys (id, company_id, agent_id, name, hash, created_at)
  values (${key.id}, ${key.companyId}, ${key.agentId}, ${key.name}, ${key.hash}, ${key.createdAt})
`;

const revokeAgentKey = (id: AgentKeyId, agentId: AgentId, at: Instant) => (sql: Sql) =>
  sql<{ id: AgentKeyId }[]>`
  update    agent_keys
  set       revoked_at = coalesce(revoked_at, ${at})
  where     id = ${id}
  and       agent_id = ${agentId}
  returning id
`;

const revokeAgentKeys = (agentId: AgentId, at: Instant) => (sql: Sql) =>
  sql`
  update  agent_keys
  set     revoked_at = ${at}
  where   agent_id = ${agentId}
  and     revoked_at is null
`;

const insertRevision = (revision: AgentConfigRevision) => (sql: Sql) =>
  sql`
  insert into agent_config_revisions ${configRevisionColumns.values(sql, revision)}
`;

const findRevision = (id: RevisionId, agentId: AgentId) => (sql: Sql) =>
  sql<AgentConfigRevision[]>`
  select  ${configRevisionColumns(sql)}
  from    agent_config_revisions
  where   id = ${id}
  and     agent_id = ${agentId}
`;
