import * as Effect from "effect/Effect";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import { transact, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { CompanyId, VaultId } from "../../model/shared/ids.ts";
import { healthWithoutProbe, recordHealth } from "../../model/vaults/vault.ts";
import { saveVault } from "./save-vault.ts";

export interface CheckVaultHealth {
  readonly vaultId: VaultId;
  readonly companyId: CompanyId;
  readonly by: Actor;
}

/** Checks the provider outside any transaction, and updates the vault's status. */
export const checkVaultHealth =
  (context: UseCaseContext, providers: SecretProviders) => (command: CheckVaultHealth) =>
    Effect.gen(function* () {
      const { vaultId, companyId } = command;
      const asked = yield* context.transactor.transact(({ vaults }) => vaults.lock(vaultId));
      const provider = providers.of(asked.provider);
      const probed =
        healthWithoutProbe(asked, provider.isLocked) ?? (yield* provider.probe({ companyId, vault: asked }));
      return yield* transact(context, "vaults.checkHealth", command.by, function* (unit) {
        const before = yield* unit.vaults.lock(vaultId);
        // A concurrent disable takes precedence.
        const health = healthWithoutProbe(before, provider.isLocked) ?? probed;
        const after = recordHealth(before, health, unit.at);
        yield* saveVault(unit, "secret_provider_config.health_checked", before, after);
        return { configId: after.id, provider: after.provider, ...health, checkedAt: unit.at };
      });
    });
