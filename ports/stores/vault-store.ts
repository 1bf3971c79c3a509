import type * as Effect from "effect/Effect";
import type { CompanyId, VaultId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { Vault, VaultNotFound } from "../../core/model/vaults/vault.ts";

export interface VaultStore {
  /** Waits for a concurrent lock and takes it. */
  lock(id: VaultId): Effect.Effect<Vault, VaultNotFound>;
  /**
   * Returns the company's vault; null where it is missing or of another company. Locks it against changes until the
   * transaction ends.
   */
  hold(companyId: CompanyId, id: VaultId): Effect.Effect<Vault | null>;
  insert(vault: Vault): Effect.Effect<void>;
  save(vault: Vault): Effect.Effect<void>;
  /** Waits for concurrent changes of a default in the company. Call it before locking a vault. */
  lockDefaults(companyId: CompanyId): Effect.Effect<void>;
  /** Removes the default from every other vault of the provider. */
  clearDefault(vault: Pick<Vault, "id" | "companyId" | "provider">, at: Instant): Effect.Effect<void>;
}
