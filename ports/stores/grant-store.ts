import type * as Effect from "effect/Effect";
import type { Grant, GrantNotFound } from "../../core/model/approvals/grant.ts";
import type { AgentId, GrantId } from "../../core/model/shared/ids.ts";

export interface GrantStore {
  insert(grant: Grant): Effect.Effect<void>;
  /** Waits for a concurrent lock and takes it. */
  lock(id: GrantId): Effect.Effect<Grant, GrantNotFound>;
  save(grant: Grant): Effect.Effect<void>;
  /** Returns an agent's grants that are not revoked, oldest first; locks them until the transaction ends. */
  heldBy(agentId: AgentId): Effect.Effect<readonly Grant[]>;
}
