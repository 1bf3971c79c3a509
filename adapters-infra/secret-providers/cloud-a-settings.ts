import type { VaultScope } from "../../ports/secret-provider.ts";

/** Settings of the deployment, none of them secret. The SDK finds its credentials itself. */
export interface CloudADeployment {
  /** SERVICE_CLOUD_A_REGION, otherwise AWS_REGION or AWS_DEFAULT_REGION. */
  readonly region: string | null;
  /** SERVICE_CLOUD_A_DEPLOYMENT_ID: separates the names of this deployment from those of others. */
  readonly deploymentId: string | null;
  /** SERVICE_CLOUD_A_KMS_KEY_ID. */
  readonly kmsKeyId: string | null;
  /** SERVICE_CLOUD_A_PREFIX: the first part of every name that the service manages. */
  readonly prefix: string;
  /** SERVICE_CLOUD_A_ENDPOINT; null: the provider's own. */
  readonly endpoint: string | null;
}

export const cloudAId = "cloud_a_secrets_manager";

/** Returns a field of the vault's config; null without a vault or without the field. */
const ofVault = (scope: VaultScope, field: string): string | null => {
  const value = scope.vault?.config[field];
  return typeof value === "string" ? value : null;
};

/** Resolves the settings: a vault's own take precedence over the deployment's. */
export const settingsOf = (deployment: CloudADeployment, scope: VaultScope) => {
  const prefix = ofVault(scope, "secretNamePrefix") ?? deployment.prefix;
  const namespace =
    ofVault(scope, "namespace") ?? (scope.vault === null ? deployment.deploymentId : scope.vault.id);
  const tag = (Key: string, field: string) => {
    const Value = ofVault(scope, field);
    return Value === null ? [] : [{ Key, Value }];
  };
  return {
    region: ofVault(scope, "region") ?? deployment.region,
    kmsKeyId: ofVault(scope, "kmsKeyId") ?? deployment.kmsKeyId,
    /** Names of managed secrets begin with it and a slash. */
    managedRoot: `${prefix}/${namespace ?? "default"}`,
    tags: [
      { Key: "boardroom:company", Value: scope.companyId },
      ...tag("owner", "ownerTag"),
      ...tag("environment", "environmentTag"),
    ],
  };
};

/** Lists unset variables of the deployment. None of them is secret. */
export const missingVariables = ({ region, deploymentId, kmsKeyId }: CloudADeployment): readonly string[] => [
  ...(region === null ? ["SERVICE_CLOUD_A_REGION"] : []),
  ...(deploymentId === null ? ["SERVICE_CLOUD_A_DEPLOYMENT_ID"] : []),
  ...(kmsKeyId === null ? ["SERVICE_CLOUD_A_KMS_KEY_ID"] : []),
];
