import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { CompanyId, VaultId } from "../../model/shared/ids.ts";
import { disableVault as softly } from "../../model/vaults/vault.ts";
import { saveVault } from "./save-vault.ts";

export interface DisableVault {
  readonly vaultId: VaultId;
  readonly companyId: CompanyId;
  readonly by: Actor;
}

export const disableVault = useCase("vaults.disable", function* (unit, command: DisableVault) {
  const before = yield* unit.vaults.lock(command.vaultId);
  const after = softly(before, unit.at);
  if (after === before) return before;
  return yield* saveVault(unit, "secret_provider_config.disabled", before, after);
});
