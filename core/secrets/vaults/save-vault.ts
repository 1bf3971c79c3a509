import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import type { Vault } from "../../model/vaults/vault.ts";
import { vaultFacts } from "../../model/vaults/vault.ts";

type VaultChange =
  | "secret_provider_config.updated"
  | "secret_provider_config.default_set"
  | "secret_provider_config.disabled"
  | "secret_provider_config.health_checked";

/** Saves the vault and logs changes of status and default. */
export const saveVault = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  action: VaultChange,
  before: Vault,
  after: Vault,
) {
  yield* unit.vaults.save(after);
  yield* unit.log(action, after, {
    ...vaultFacts(after),
    previousStatus: before.status,
    previousIsDefault: before.isDefault,
  });
  return after;
});
