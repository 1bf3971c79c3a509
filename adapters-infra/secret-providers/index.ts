import type { ProviderId } from "../../core/model/vaults/provider.ts";
import type { SecretProvider, SecretProviders } from "../../ports/secret-provider.ts";
import { cloudA } from "./cloud-a.ts";
import type { CloudADeployment } from "./cloud-a-settings.ts";
import { comingSoon } from "./coming-soon.ts";
import { externalVault } from "./external-vault.ts";
import { type LocalEncrypted, localEncrypted } from "./local-encrypted.ts";
import type { VaultDeployment } from "./vault-settings.ts";

export interface SecretProviderSettings {
  readonly default: ProviderId;
  readonly local: LocalEncrypted;
  readonly cloudA: CloudADeployment;
  /** null: the operator has not turned it on. */
  readonly externalVault: VaultDeployment | null;
}

export const secretProviders = (settings: SecretProviderSettings): SecretProviders => {
  const all: Readonly<Record<ProviderId, SecretProvider>> = {
    local_encrypted: localEncrypted(settings.local),
    cloud_a_secrets_manager: cloudA(settings.cloudA),
    cloud_b_secret_manager: comingSoon("cloud_b_secret_manager"),
    external_vault:
      settings.externalVault === null ? comingSoon("external_vault") : externalVault(settings.externalVault),
  };
  return { of: (provider) => all[provider], default: settings.default };
};
