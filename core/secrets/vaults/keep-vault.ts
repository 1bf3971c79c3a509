import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { Instant } from "../../model/shared/instant.ts";
import type { Vault } from "../../model/vaults/vault.ts";
import { vaultFacts } from "../../model/vaults/vault.ts";

type VaultChange =
  | "secret_provider_config.updated"
  | "secret_provider_config.default_set"
  | "secret_provider_config.disabled"
  | "secret_provider_config.health_checked";

/** Saves the vault and logs changes of status and default. */
export const keepVault = Effect.fnUntraced(function* (
  stores: Stores,
  action: VaultChange,
  before: Vault,
  after: Vault,
  by: Actor,
  at: Instant,
) {
  yield* stores.vaults.save(after);
  yield* logAction(stores, after, by, at, action, {
    ...vaultFacts(after),
    previousStatus: before.status,
    previousIsDefault: before.isDefault,
  });
  return after;
});
