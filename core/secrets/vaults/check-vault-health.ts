import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { CompanyId, VaultId } from "../../model/shared/ids.ts";
import { healthWithoutProbe, noteHealth } from "../../model/vaults/vault.ts";
import { keepVault } from "./keep-vault.ts";

export interface CheckVaultHealth {
  readonly vaultId: VaultId;
  readonly companyId: CompanyId;
  readonly by: Actor;
}

/** Checks the provider outside any transaction, and updates the vault's status. */
export const checkVaultHealth =
  (transactor: Transactor, clock: Clock, providers: SecretProviders) => (command: CheckVaultHealth) =>
    Effect.gen(function* () {
      const { vaultId, companyId, by } = command;
      const asked = yield* transactor.transact(({ vaults }) => vaults.lock(vaultId));
      const probed =
        healthWithoutProbe(asked) ?? (yield* providers.of(asked.provider).probe({ companyId, vault: asked }));
      return yield* transact(transactor, function* (stores) {
        const before = yield* stores.vaults.lock(vaultId);
        const at = clock.now();
        // A concurrent disable takes precedence.
        const health = healthWithoutProbe(before) ?? probed;
        const after = noteHealth(before, health, at);
        yield* keepVault(stores, "secret_provider_config.health_checked", before, after, by, at);
        return { configId: after.id, provider: after.provider, ...health, checkedAt: at };
      });
    });
