import type { Place } from "../../ports/secret-provider.ts";

/** What the deployment says of the provider: nothing secret. Credentials are the SDK's own affair. */
export interface CloudADeployment {
  /** SERVICE_CLOUD_A_REGION, else AWS_REGION or AWS_DEFAULT_REGION. */
  readonly region: string | null;
  /** SERVICE_CLOUD_A_DEPLOYMENT_ID: parts the names of this deployment from those of others. */
  readonly deploymentId: string | null;
  /** SERVICE_CLOUD_A_KMS_KEY_ID. */
  readonly kmsKeyId: string | null;
  /** SERVICE_CLOUD_A_PREFIX; all names that the service manages begin with it. */
  readonly prefix: string;
  /** SERVICE_CLOUD_A_ENDPOINT; null: the provider's own. */
  readonly endpoint: string | null;
}

export const cloudAId = "cloud_a_secrets_manager";

/** A field of the vault's config; null where there is no vault or it leaves the field out. */
const ofVault = (place: Place, field: string): string | null => {
  const value = place.vault?.config[field];
  return typeof value === "string" ? value : null;
};

/** What holds in a place: a vault's own settings go before the deployment's. */
export const settingsOf = (deployment: CloudADeployment, place: Place) => {
  const prefix = ofVault(place, "secretNamePrefix") ?? deployment.prefix;
  const namespace =
    ofVault(place, "namespace") ?? (place.vault === null ? deployment.deploymentId : place.vault.id);
  const tag = (Key: string, field: string) => {
    const Value = ofVault(place, field);
    return Value === null ? [] : [{ Key, Value }];
  };
  return {
    region: ofVault(place, "region") ?? deployment.region,
    kmsKeyId: ofVault(place, "kmsKeyId") ?? deployment.kmsKeyId,
    /** Names of secrets that the service manages there begin with it and a slash. */
    managedRoot: `${prefix}/${namespace ?? "default"}`,
    tags: [
      { Key: "boardroom:company", Value: place.companyId },
      ...tag("owner", "ownerTag"),
      ...tag("environment", "environmentTag"),
    ],
  };
};

/** Variables of the deployment that are not set. None of them is secret. */
export const missingVariables = ({ region, deploymentId, kmsKeyId }: CloudADeployment): readonly string[] => [
  ...(region === null ? ["SERVICE_CLOUD_A_REGION"] : []),
  ...(deploymentId === null ? ["SERVICE_CLOUD_A_DEPLOYMENT_ID"] : []),
  ...(kmsKeyId === null ? ["SERVICE_CLOUD_A_KMS_KEY_ID"] : []),
];
