import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { CompanyId, VaultId } from "../../model/shared/ids.ts";
import { changeVault } from "../../model/vaults/vault.ts";
import { keepVault } from "./keep-vault.ts";

export interface SetDefaultVault {
  readonly vaultId: VaultId;
  readonly companyId: CompanyId;
  readonly by: Actor;
}

export const setDefaultVault = (transactor: Transactor, clock: Clock) => (command: SetDefaultVault) =>
  transact(transactor, function* (stores) {
    yield* stores.vaults.lockDefaults(command.companyId);
    const before = yield* stores.vaults.lock(command.vaultId);
    const at = clock.now();
    const after = yield* Effect.fromResult(changeVault(before, { isDefault: true }, at));
    yield* stores.vaults.clearDefault(after, at);
    return yield* keepVault(stores, "secret_provider_config.default_set", before, after, command.by, at);
  });
