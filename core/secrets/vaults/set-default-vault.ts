import * as Effect from "effect/Effect";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { CompanyId, VaultId } from "../../model/shared/ids.ts";
import { changeVault } from "../../model/vaults/vault.ts";
import { saveVault } from "./save-vault.ts";

export interface SetDefaultVault {
  readonly vaultId: VaultId;
  readonly companyId: CompanyId;
  readonly by: Actor;
}

export const setDefaultVault = (providers: SecretProviders) =>
  useCase("vaults.setDefault", function* (unit, command: SetDefaultVault) {
    yield* unit.vaults.lockDefaults(command.companyId);
    const before = yield* unit.vaults.lock(command.vaultId);
    const after = yield* Effect.fromResult(
      changeVault(
        before,
        { isDefault: true },
        { at: unit.at, isLocked: providers.of(before.provider).isLocked },
      ),
    );
    yield* unit.vaults.clearDefault(after, unit.at);
    return yield* saveVault(unit, "secret_provider_config.default_set", before, after);
  });
