import type * as Effect from "effect/Effect";
import type { Agent, AgentNotFound, UrlKeyTaken } from "../../core/agents/agent.ts";
import type { AgentConfig } from "../../core/agents/agent-config.ts";
import type { CompanyStatus } from "../../core/companies/company.ts";
import type { Mentionable } from "../../core/issues/comments/mentions.ts";
import type { AgentId, AgentKeyId, CompanyId, RevisionId, UserId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

/** An agent and what its company is up to: what every decision to wake it asks. */
export interface AgentInCompany extends Agent {
  readonly companyStatus: CompanyStatus;
}

export interface AgentStore {
  /** Locks it, after waiting for its present lock. */
  lock(id: AgentId): Effect.Effect<AgentInCompany, AgentNotFound>;
  /** Terminated agents, too; null where it is missing or of another company. */
  findInCompany(id: AgentId, companyId: CompanyId): Effect.Effect<AgentInCompany | null>;
  /** The agent of that id or urlKey, a living one first; null where there is none in the company. */
  findByReference(reference: string, companyId: CompanyId): Effect.Effect<AgentInCompany | null>;
  /**
   * As it is, and as it and its company stay until the end of the transaction; null where another transaction is changing
   * them just now. Waits for nobody.
   */
  keepStill(id: AgentId): Effect.Effect<AgentInCompany | null>;
  /** Those of the ids that live in the company, in any order. */
  findAll(ids: readonly AgentId[], companyId: CompanyId): Effect.Effect<readonly AgentInCompany[]>;
  /** Every living agent of the company, by what a mention may say. */
  mentionable(companyId: CompanyId): Effect.Effect<readonly Mentionable[]>;
  /** Each living agent's manager. Holds the chain of command of the company still until the end of the transaction. */
  lockChainOfCommand(companyId: CompanyId): Effect.Effect<ReadonlyMap<AgentId, readonly AgentId[]>>;
  insert(agent: Agent): Effect.Effect<void, UrlKeyTaken>;
  /** Of an agent whose name stays as it is. */
  save(agent: Agent): Effect.Effect<void>;
  /** Of one that may have another name now, and so another address. */
  saveRenamed(agent: Agent): Effect.Effect<void, UrlKeyTaken>;
  /** After a run: when it ended and, where it failed, why. */
  noteHeartbeat(id: AgentId, at: Instant, errorReason: string | null): Effect.Effect<void>;
  /** Agents whose timer is due, at most `limit`, each locked; those another transaction holds are passed over. */
  lockDueTimers(at: Instant, limit: number): Effect.Effect<readonly AgentInCompany[]>;
  /** Sets or lifts the hold of its own budget. */
  setBudgetHold(id: AgentId, heldAt: Instant | null): Effect.Effect<void>;
  /** Agents whose own budget holds them since before `at`, at most `limit`, each locked; those held elsewhere are passed over. */
  lockHeldBefore(at: Instant, limit: number): Effect.Effect<readonly AgentInCompany[]>;
  setNextTimer(id: AgentId, at: Instant | null): Effect.Effect<void>;

  insertKey(key: AgentKey): Effect.Effect<void>;
  /** False where there is no such key of the agent. Revoking twice is the same as once. */
  revokeKey(id: AgentKeyId, agentId: AgentId, at: Instant): Effect.Effect<boolean>;
  revokeKeys(agentId: AgentId, at: Instant): Effect.Effect<void>;

  insertRevision(revision: AgentConfigRevision): Effect.Effect<void>;
  findRevision(id: RevisionId, agentId: AgentId): Effect.Effect<AgentConfigRevision | null>;
}

/** A long-lived key of an agent. Only its hash exists. */
export interface AgentKey {
  readonly id: AgentKeyId;
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly name: string;
  /** SHA-256 of the key. */
  readonly hash: Uint8Array;
  readonly createdAt: Instant;
}

/** One change of an agent's configuration: what it was before, and after. */
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
