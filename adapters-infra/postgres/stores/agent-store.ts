import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Agent, AgentNotFound } from "../../../core/agents/agent.ts";
import type { Mentionable } from "../../../core/issues/comments/mentions.ts";
import {
  type AgentId,
  type AgentKeyId,
  type CompanyId,
  isUuid,
  type RevisionId,
  type VolumeId,
} from "../../../core/shared/ids.ts";
import type { Instant } from "../../../core/shared/instant.ts";
import type {
  AgentConfigRevision,
  AgentInCompany,
  AgentKey,
  AgentStore,
} from "../../../ports/stores/agent-store.ts";
import { agentInCompany } from "../columns.ts";
import { lockOfCompany } from "../company-locks.ts";
import { json, linksOf, orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const agentStore = (tx: Statements): AgentStore => ({
  lock: (id) => tx.first(lockAgent(id)).pipe(orFail(() => new AgentNotFound())),
  lockAll: (ids) => tx.read(lockAgents(ids)),
  findInCompany: (id, companyId) => tx.first(findAgentInCompany(id, companyId)),
  findByReference: (reference, companyId) => tx.first(findAgentByReference(reference, companyId)),
  keepStill: (id) => tx.first(keepAgentStill(id)),
  findAll: (ids, companyId) => (ids.length === 0 ? Effect.succeed([]) : tx.read(findAgents(ids, companyId))),
  mentionable: (companyId) => tx.read(mentionableAgents(companyId)),
  lockChainOfCommand: (companyId) =>
    tx
      .write(lockOfCompany("chain of command", companyId))
      .pipe(Effect.andThen(tx.read(managers(companyId))), Effect.map(linksOf)),
  insert: (agent) => tx.write(insertAgent(agent)),
  save: (agent) => tx.write(saveAgent(agent)),
  saveRenamed: (agent) => tx.write(saveAgent(agent)),
  noteHeartbeats: (ended, at) => (ended.length === 0 ? Effect.void : tx.write(noteHeartbeats(ended, at))),
  lockDueTimers: (at, limit) => tx.read(lockDueTimers(at, limit)),
  lockTimersTooFar: (at, limit) => tx.read(lockTimersTooFar(at, limit)),
  setBudgetHold: (id, heldAt) => tx.write(setBudgetHold(id, heldAt)),
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

const keepAgentStill = (id: AgentId) => (sql: Sql) =>
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
  order by  a.url_key = ${reference.toLowerCase()}, a.standing = 'terminated', a.id desc
  limit     1
`;

const findAgents = (ids: readonly AgentId[], companyId: CompanyId) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select  ${agentInCompany(sql)}
  from    agents a
  join    companies c on c.id = a.company_id
  where   a.id = any(${ids}::uuid[])
  and     a.company_id = ${companyId}
  and     a.standing <> 'terminated'
`;

const mentionableAgents = (companyId: CompanyId) => (sql: Sql) =>
  sql<Mentionable[]>`
  select  id, name, url_key
  from    agents
  where   company_id = ${companyId}
  and     standing <> 'terminated'
`;

const managers = (companyId: CompanyId) => (sql: Sql) =>
  sql<{ id: AgentId; target: AgentId | null }[]>`
  select  id, reports_to as target
  from    agents
  where   company_id = ${companyId}
  and     standing <> 'terminated'
`;

const insertAgent = (agent: Agent) => (sql: Sql) =>
  sql`
  insert into agents (
    id, company_id, name, url_key, role, title, reports_to, capabilities, standing, held_manually_at,
    held_by_budget_at, error_reason, adapter_type, adapter_config, runtime_config, metadata,
    budget_monthly_cents, granted_paths, last_heartbeat_at, next_timer_at, created_at, updated_at
  )
  values (
    ${agent.id}, ${agent.companyId}, ${agent.name}, ${agent.urlKey}, ${agent.role}, ${agent.title},
    ${agent.reportsTo}, ${agent.capabilities}, ${agent.lifecycleState}, ${agent.heldManuallyAt},
    ${agent.heldByBudgetAt}, ${agent.errorReason}, ${agent.adapterType}, ${json(sql, agent.adapterConfig)},
    ${json(sql, agent.runtimeConfig)}, ${json(sql, agent.metadata)}, ${agent.budgetMonthlyCents},
    ${json(sql, agent.grantedPaths)}, ${agent.lastHeartbeatAt}, ${agent.nextTimerAt}, ${agent.createdAt}, ${agent.updatedAt}
  )
`;

const saveAgent = (agent: Agent) => (sql: Sql) =>
  sql`
  update  agents
  set     name                 = ${agent.name},
          url_key              = ${agent.urlKey},
          role                 = ${agent.role},
          title                = ${agent.title},
          reports_to           = ${agent.reportsTo},
          capabilities         = ${agent.capabilities},
          standing             = ${agent.lifecycleState},
          held_manually_at     = ${agent.heldManuallyAt},
          held_by_budget_at    = ${agent.heldByBudgetAt},
          error_reason         = ${agent.errorReason},
          adapter_type         = ${agent.adapterType},
          adapter_config       = ${json(sql, agent.adapterConfig)},
          runtime_config       = ${json(sql, agent.runtimeConfig)},
          metadata             = ${json(sql, agent.metadata)},
          budget_monthly_cents = ${agent.budgetMonthlyCents},
          granted_paths        = ${json(sql, agent.grantedPaths)},
          last_heartbeat_at    = ${agent.lastHeartbeatAt},
          next_timer_at        = ${agent.nextTimerAt},
          updated_at           = ${agent.updatedAt}
  where   id = ${agent.id}
`;

const noteHeartbeats = (ended: Parameters<AgentStore["noteHeartbeats"]>[0], at: Instant) => (sql: Sql) =>
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
  and       a.standing = 'active'
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
  and       a.standing = 'active'
  limit     ${limit}
  for       no key update of a skip locked
`;

const setBudgetHold = (id: AgentId, heldAt: Instant | null) => (sql: Sql) =>
  sql`
  update  agents
  set     held_by_budget_at = ${heldAt}
  where   id = ${id}
`;

const lockHeldAgents = (at: Instant, limit: number) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select    ${agentInCompany(sql)}
  from      agents a
  join      companies c on c.id = a.company_id
  where     a.id = any(array(
              select    id
              from      agents
              where     held_by_budget_at < ${at}
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
  insert into agent_config_revisions (
    id, company_id, agent_id, source, rolled_back_from_revision_id, changed_keys, before_config, after_config,
    created_by_agent_id, created_by_user_id, created_at
  )
  values (
    ${revision.id}, ${revision.companyId}, ${revision.agentId}, ${revision.source},
    ${revision.rolledBackFromRevisionId}, ${revision.changedKeys}::text[], ${json(sql, revision.beforeConfig)},
    ${json(sql, revision.afterConfig)}, ${revision.createdByAgentId}, ${revision.createdByUserId},
    ${revision.createdAt}
  )
`;

const findRevision = (id: RevisionId, agentId: AgentId) => (sql: Sql) =>
  sql<AgentConfigRevision[]>`
  select  id, company_id, agent_id, source, rolled_back_from_revision_id, changed_keys, before_config, after_config,
          created_by_agent_id, created_by_user_id, created_at
  from    agent_config_revisions
  where   id = ${id}
  and     agent_id = ${agentId}
`;
