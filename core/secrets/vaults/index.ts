import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { checkVaultHealth } from "./check-vault-health.ts";
import { createVault } from "./create-vault.ts";
import { disableVault } from "./disable-vault.ts";
import { setDefaultVault } from "./set-default-vault.ts";
import { updateVault } from "./update-vault.ts";

/** The use cases of vaults. */
export const vaults = (context: UseCaseContext, providers: SecretProviders) => ({
  create: createVault(providers)(context),
  update: updateVault(providers)(context),
  disable: disableVault(context),
  setDefault: setDefaultVault(providers)(context),
  checkHealth: checkVaultHealth(context, providers),
});

export type Vaults = ReturnType<typeof vaults>;
