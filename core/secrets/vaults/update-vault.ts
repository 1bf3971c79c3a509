import * as Effect from "effect/Effect";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { CompanyId, VaultId } from "../../model/shared/ids.ts";
import { changeVault, type VaultChanges } from "../../model/vaults/vault.ts";
import { vaultConfigOf } from "../../model/vaults/vault-config.ts";
import { saveVault } from "./save-vault.ts";

export interface UpdateVault extends Omit<VaultChanges, "config"> {
  readonly vaultId: VaultId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  /** Replaces the complete configuration. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

export const updateVault = (providers: SecretProviders) =>
  useCase("vaults.update", function* (unit, command: UpdateVault) {
    const { displayName, status, isDefault } = command;
    if (isDefault) yield* unit.vaults.lockDefaults(command.companyId);
    const before = yield* unit.vaults.lock(command.vaultId);
    const config =
      command.config === undefined
        ? undefined
        : yield* Effect.fromResult(vaultConfigOf(before.provider, command.config));
    const after = yield* Effect.fromResult(
      changeVault(
        before,
        { displayName, status, isDefault, config },
        { at: unit.at, isLocked: providers.of(before.provider).isLocked },
      ),
    );
    if (after.isDefault && !before.isDefault) yield* unit.vaults.clearDefault(after, unit.at);
    return yield* saveVault(unit, "secret_provider_config.updated", before, after);
  });
