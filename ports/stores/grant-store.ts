import type * as Effect from "effect/Effect";
import type { Grant, GrantNotFound } from "../../core/approvals/grant.ts";
import type { AgentId, GrantId } from "../../core/shared/ids.ts";

export interface GrantStore {
  insert(grant: Grant): Effect.Effect<void>;
  /** Locks it, after waiting for its present lock. */
  lock(id: GrantId): Effect.Effect<Grant, GrantNotFound>;
  save(grant: Grant): Effect.Effect<void>;
  /** Those of an agent that are not revoked, oldest first; they cannot be before the transaction ends. */
  heldBy(agentId: AgentId): Effect.Effect<readonly Grant[]>;
}
