import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { CompanyId, VaultId } from "../../model/shared/ids.ts";
import { disableVault as softly } from "../../model/vaults/vault.ts";
import { keepVault } from "./keep-vault.ts";

export interface DisableVault {
  readonly vaultId: VaultId;
  readonly companyId: CompanyId;
  readonly by: Actor;
}

export const disableVault = (transactor: Transactor, clock: Clock) => (command: DisableVault) =>
  transact(transactor, function* (stores) {
    const before = yield* stores.vaults.lock(command.vaultId);
    const at = clock.now();
    const after = softly(before, at);
    if (after === before) return before;
    return yield* keepVault(stores, "secret_provider_config.disabled", before, after, command.by, at);
  });
