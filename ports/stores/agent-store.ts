import type * as Effect from "effect/Effect";
import type { Agent, AgentNotFound, UrlKeyTaken } from "../../core/model/agents/agent.ts";
import type { AgentConfig } from "../../core/model/agents/agent-config.ts";
import type { CompanyStatus } from "../../core/model/companies/company.ts";
import type { Mentionable } from "../../core/model/issues/comments/mentions.ts";
import type {
  AgentId,
  AgentKeyId,
  CompanyId,
  RevisionId,
  UserId,
  VolumeId,
} from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** An agent and the state of its company, as every decision to wake it needs them. */
export interface AgentInCompany extends Agent {
  readonly companyStatus: CompanyStatus;
  readonly companyRunner: string | null;
  readonly companyAgentCausedRunLimit: number;
}

export interface AgentStore {
  /** Waits for a concurrent lock and takes it. */
  lock(id: AgentId): Effect.Effect<AgentInCompany, AgentNotFound>;
  /** Locks those that exist, ids ascending; waits for concurrent locks. */
  lockAll(ids: readonly AgentId[]): Effect.Effect<readonly AgentInCompany[]>;
  /** Includes terminated agents; null where it is missing or of another company. */
  findInCompany(id: AgentId, companyId: CompanyId): Effect.Effect<AgentInCompany | null>;
  /** Returns the agent of that id or urlKey, an active one first; null where the company has none. */
  findByReference(reference: string, companyId: CompanyId): Effect.Effect<AgentInCompany | null>;
  /**
   * Locks the agent and its company against changes until the end of the transaction; null where another transaction is
   * changing them. Never waits.
   */
  lockShared(id: AgentId): Effect.Effect<AgentInCompany | null>;
  /** Returns active agents of the company among the ids, in any order. */
  findAll(ids: readonly AgentId[], companyId: CompanyId): Effect.Effect<readonly AgentInCompany[]>;
  /** Returns every active agent of the company with its names for mentions. */
  mentionable(companyId: CompanyId): Effect.Effect<readonly Mentionable[]>;
  /** Each active agent's manager. Locks the company's chain of command until the end of the transaction. */
  lockChainOfCommand(companyId: CompanyId): Effect.Effect<ReadonlyMap<AgentId, readonly AgentId[]>>;
  insert(agent: Agent): Effect.Effect<void, UrlKeyTaken>;
  /** Saves an agent whose name is unchanged. */
  save(agent: Agent): Effect.Effect<void>;
  /** Saves an agent whose name, and so its urlKey, may have changed. */
  saveRenamed(agent: Agent): Effect.Effect<void, UrlKeyTaken>;
  /** Records for each agent the end of a run and, for a failure, its reason. */
  recordHeartbeats(
    ended: readonly { readonly agentId: AgentId; readonly errorReason: string | null }[],
    at: Instant,
  ): Effect.Effect<void>;
  /** Locks at most `limit` agents whose timer is due; skips those locked by another transaction. */
  lockDueTimers(at: Instant, limit: number): Effect.Effect<readonly AgentInCompany[]>;
  /** The same for agents whose timer lies further away than its interval. */
  lockTimersTooFar(at: Instant, limit: number): Effect.Effect<readonly AgentInCompany[]>;
  /** Sets or lifts the hold of its own budget. */
  setBudgetHold(id: AgentId, heldAt: Instant | null): Effect.Effect<void>;
  /**
   * Locks at most `limit` agents held by their own budget since before `at`; skips those locked by another transaction.
   */
  lockHeldBefore(at: Instant, limit: number): Effect.Effect<readonly AgentInCompany[]>;
  /** Sets where their files are; null: wherever the next run starts. Notifies services. */
  setVolume(ids: readonly AgentId[], volume: VolumeId | null, at: Instant): Effect.Effect<void>;
  setNextTimer(id: AgentId, at: Instant | null): Effect.Effect<void>;

  insertKey(key: AgentKey): Effect.Effect<void>;
  /** Returns false where the agent has no such key. Revoking twice has no further effect. */
  revokeKey(id: AgentKeyId, agentId: AgentId, at: Instant): Effect.Effect<boolean>;
  revokeKeys(agentId: AgentId, at: Instant): Effect.Effect<void>;

  insertRevision(revision: AgentConfigRevision): Effect.Effect<void>;
  findRevision(id: RevisionId, agentId: AgentId): Effect.Effect<AgentConfigRevision | null>;
}

/** A long-lived key of an agent. Only its hash is stored. */
export interface AgentKey {
  readonly id: AgentKeyId;
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly name: string;
  /** SHA-256 of the key. */
  readonly hash: Uint8Array;
  readonly createdAt: Instant;
}

/** One change of an agent's configuration, with the values before and after. */
export interface AgentConfigRevision {
  readonly id: RevisionId;
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly source: "create" | "patch" | "rollback";
  readonly rolledBackFromRevisionId: RevisionId | null;
  readonly changedKeys: readonly string[];
  readonly beforeConfig: AgentConfig | null;
  readonly afterConfig: AgentConfig;
  readonly createdByAgentId: AgentId | null;
  readonly createdByUserId: UserId | null;
  readonly createdAt: Instant;
}
