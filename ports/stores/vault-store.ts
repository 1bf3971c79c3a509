import type * as Effect from "effect/Effect";
import type { CompanyId, VaultId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";
import type { Vault, VaultNotFound } from "../../core/vaults/vault.ts";

export interface VaultStore {
  /** Locks it, after waiting for its present lock. */
  lock(id: VaultId): Effect.Effect<Vault, VaultNotFound>;
  /** The company's, or null: missing and another company's are the same. It stays as it is until the transaction ends. */
  hold(companyId: CompanyId, id: VaultId): Effect.Effect<Vault | null>;
  insert(vault: Vault): Effect.Effect<void>;
  save(vault: Vault): Effect.Effect<void>;
  /** Waits for every other choice of a default in the company. Called before any vault is locked. */
  lockDefaults(companyId: CompanyId): Effect.Effect<void>;
  /** Takes the default away from whichever other vault of the provider has it. */
  clearDefault(vault: Pick<Vault, "id" | "companyId" | "provider">, at: Instant): Effect.Effect<void>;
}
