import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { ReferenceNotFound } from "../model/shared/failure.ts";
import type { CompanyId, VaultId } from "../model/shared/ids.ts";
import { listsSecrets } from "../model/vaults/provider.ts";
import { VaultUnusable } from "../model/vaults/vault.ts";
import { isImportable } from "../model/vaults/vault-status.ts";

/** Returns a usable vault of the company whose provider can list. */
export const vaultForImport = Effect.fnUntraced(function* (
  stores: Pick<Stores, "vaults">,
  companyId: CompanyId,
  vaultId: VaultId,
) {
  const vault = yield* stores.vaults.hold(companyId, vaultId);
  if (vault === null) return yield* Effect.fail(ReferenceNotFound.at("providerConfigId"));
  if (!listsSecrets(vault.provider))
    return yield* Effect.fail(
      new VaultUnusable({ reason: "provider_mismatch" }, "Vaults of this provider don't support importing."),
    );
  if (!isImportable(vault.status))
    return yield* Effect.fail(
      new VaultUnusable({ reason: vault.status }, `The vault can't be used: its status is ${vault.status}.`),
    );
  return vault;
});
