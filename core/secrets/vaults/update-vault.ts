import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { CompanyId, VaultId } from "../../model/shared/ids.ts";
import { changeVault, type VaultChanges } from "../../model/vaults/vault.ts";
import { vaultConfigOf } from "../../model/vaults/vault-config.ts";
import { keepVault } from "./keep-vault.ts";

export interface UpdateVault extends Omit<VaultChanges, "config"> {
  readonly vaultId: VaultId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  /** Replaces the complete configuration. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

export const updateVault = (transactor: Transactor, clock: Clock) => (command: UpdateVault) =>
  transact(transactor, function* (stores) {
    const { displayName, status, isDefault } = command;
    if (isDefault) yield* stores.vaults.lockDefaults(command.companyId);
    const before = yield* stores.vaults.lock(command.vaultId);
    const at = clock.now();
    const config =
      command.config === undefined
        ? undefined
        : yield* Effect.fromResult(vaultConfigOf(before.provider, command.config));
    const after = yield* Effect.fromResult(
      changeVault(before, { displayName, status, isDefault, config }, at),
    );
    if (after.isDefault && !before.isDefault) yield* stores.vaults.clearDefault(after, at);
    return yield* keepVault(stores, "secret_provider_config.updated", before, after, command.by, at);
  });
