import type { Clock } from "../../../ports/clock.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { checkVaultHealth } from "./check-vault-health.ts";
import { createVault } from "./create-vault.ts";
import { disableVault } from "./disable-vault.ts";
import { setDefaultVault } from "./set-default-vault.ts";
import { updateVault } from "./update-vault.ts";

/** The use cases of vaults. */
export const vaults = (transactor: Transactor, clock: Clock, providers: SecretProviders) => ({
  create: createVault(transactor, clock),
  update: updateVault(transactor, clock),
  disable: disableVault(transactor, clock),
  setDefault: setDefaultVault(transactor, clock),
  checkHealth: checkVaultHealth(transactor, clock, providers),
});

export type Vaults = ReturnType<typeof vaults>;
