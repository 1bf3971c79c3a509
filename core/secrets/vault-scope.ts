import * as Effect from "effect/Effect";
import type { VaultScope } from "../../ports/secret-provider.ts";
import type { Stores } from "../../ports/transactor.ts";
import { ReferenceNotFound } from "../model/shared/failure.ts";
import type { CompanyId, VaultId } from "../model/shared/ids.ts";
import type { ProviderId } from "../model/vaults/provider.ts";
import { checkUsable } from "../model/vaults/vault.ts";

/**
 * Returns where a provider stores or finds a value; refuses an unusable vault. Without a vault, the deployment's own
 * configuration applies.
 */
export const scopeFor = Effect.fnUntraced(function* (
  stores: Pick<Stores, "vaults">,
  companyId: CompanyId,
  provider: ProviderId,
  vaultId: VaultId | null,
) {
  if (vaultId === null) return { companyId, vault: null } satisfies VaultScope;
  const vault = yield* stores.vaults.hold(companyId, vaultId);
  if (vault === null) return yield* Effect.fail(ReferenceNotFound.at("providerConfigId"));
  yield* Effect.fromResult(checkUsable(vault, provider));
  return { companyId, vault } satisfies VaultScope;
});
