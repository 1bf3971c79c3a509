import { randomUUID } from "node:crypto";
import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { Health } from "../../core/vaults/vault.ts";
import type { Place, SecretProvider } from "../../ports/secret-provider.ts";
import { credentialSources, usualCredentialSource } from "./cloud-a-credentials.ts";
import { failureOf } from "./cloud-a-failure.ts";
import { canonicalName, namesOf, regionOf } from "./cloud-a-reference.ts";
import { fingerprintOf } from "./reference-fingerprint.ts";

/** What the deployment says of the provider: nothing secret. Credentials are the SDK's own affair. */
export interface CloudA {
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

const id = "cloud_a_secrets_manager";
const timeoutMs = 30_000;
const connectTimeoutMs = 5_000;
const attempts = 3;

/** AWS Secrets Manager through its SDK, which is loaded when it is first needed and finds its credentials by itself. */
export const cloudA = (deployment: CloudA): SecretProvider => {
  const clients = new Map<string, Promise<SecretsManagerClient>>();
  const clientFor = (region: string): Promise<SecretsManagerClient> => {
    const known = clients.get(region);
    if (known !== undefined) return known;
    // Said once a process on standard error, where the service's own log goes as JSON.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
    const made = import("@aws-sdk/client-secrets-manager").then(
      ({ SecretsManagerClient }) =>
        new SecretsManagerClient({
          region,
          maxAttempts: attempts,
          requestHandler: { requestTimeout: timeoutMs, connectionTimeout: connectTimeoutMs },
          ...(deployment.endpoint === null ? {} : { endpoint: deployment.endpoint }),
        }),
    );
    clients.set(region, made);
    return made;
  };

  /** One call of the SDK. Whatever it throws becomes a failure of ours; its text goes nowhere. */
  const ask = <A>(
    place: Place,
    operation: string,
    call: (
      client: SecretsManagerClient,
      sdk: typeof import("@aws-sdk/client-secrets-manager"),
      signal: AbortSignal,
    ) => Promise<A>,
  ) =>
    Effect.tryPromise({
      try: async (signal) => {
        const region = settingOf(place, "region") ?? deployment.region;
        if (region === null) throw new RegionMissing();
        return call(await clientFor(region), await import("@aws-sdk/client-secrets-manager"), signal);
      },
      catch: (error) =>
        failureOf(error instanceof RegionMissing ? "RegionMissing" : error, {
          provider: id,
          operation,
          providerConfigId: place.vault?.id ?? null,
        }),
    });

  const managedRoot = (place: Place): string => {
    const prefix = settingOf(place, "secretNamePrefix") ?? deployment.prefix;
    const space =
      settingOf(place, "namespace") ?? (place.vault === null ? deployment.deploymentId : place.vault.id);
    return `${prefix}/${space ?? "default"}`;
  };

  return {
    id,
    linksReferences: true,
    keep: (place, as, value) =>
      ask(place, "keep", async (client, sdk, abortSignal) => {
        const name = `${managedRoot(place)}/${place.companyId}/${as.key}`;
        // Names the version, and makes one request of what the SDK sends more than once.
        const token = randomUUID();
        const kmsKeyId = settingOf(place, "kmsKeyId") ?? deployment.kmsKeyId;
        const put = () =>
          client.send(
            new sdk.PutSecretValueCommand({
              SecretId: name,
              SecretString: Redacted.value(value),
              ClientRequestToken: token,
            }),
            { abortSignal },
          );
        const create = () =>
          client.send(
            new sdk.CreateSecretCommand({
              Name: name,
              SecretString: Redacted.value(value),
              ClientRequestToken: token,
              ...(kmsKeyId === null ? {} : { KmsKeyId: kmsKeyId }),
              Tags: tagsOf(place),
            }),
            { abortSignal },
          );
        const kept = await (as.version === 1
          ? create().catch((error) =>
              nameOf(error) === "ResourceExistsException" ? put() : Promise.reject(error),
            )
          : put().catch((error) =>
              // Kept elsewhere until now: this place sees its first version.
              nameOf(error) === "ResourceNotFoundException" ? create() : Promise.reject(error),
            ));
        return { sealed: null, externalRef: name, providerVersionRef: kept.VersionId ?? null };
      }),
    read: (place, _of, { externalRef, providerVersionRef }) =>
      ask(place, "read", async (client, sdk, abortSignal) => {
        const answer = await client.send(
          new sdk.GetSecretValueCommand({
            SecretId: externalRef ?? "",
            ...versionOf(providerVersionRef),
          }),
          { abortSignal },
        );
        const text =
          answer.SecretString ?? (answer.SecretBinary && Buffer.from(answer.SecretBinary).toString("utf8"));
        if (text === undefined) throw new NoValue();
        return Redacted.make(text);
      }),
    list: (place, { query, nextToken, pageSize }) =>
      ask(place, "list", async (client, sdk, abortSignal) => {
        const page = await client.send(
          new sdk.ListSecretsCommand({
            MaxResults: pageSize,
            ...(nextToken === null ? {} : { NextToken: nextToken }),
            ...(query === null ? {} : { Filters: [{ Key: "all", Values: [query] }] }),
          }),
          { abortSignal },
        );
        return {
          nextToken: page.NextToken ?? null,
          items: (page.SecretList ?? []).flatMap((secret) => {
            const externalRef = secret.ARN ?? secret.Name;
            if (externalRef === undefined) return [];
            return [
              {
                externalRef,
                remoteName: secret.Name ?? "",
                providerVersionRef: null,
                providerMetadata: {
                  createdDate: secret.CreatedDate?.toISOString() ?? null,
                  lastChangedDate: secret.LastChangedDate?.toISOString() ?? null,
                  hasDescription: (secret.Description ?? "") !== "",
                  hasKmsKey: secret.KmsKeyId !== undefined,
                  tagCount: secret.Tags?.length ?? 0,
                },
              },
            ];
          }),
        };
      }),
    canonical: (place, reference) => {
      const region = regionOf(reference);
      const own = settingOf(place, "region") ?? deployment.region;
      return region !== null && own !== null && region !== own ? null : canonicalName(reference);
    },
    manages: (place, reference) => {
      const roots = [managedRoot(place), deployment.prefix];
      return namesOf(reference).some((name) =>
        roots.some((root) => name === root || name.startsWith(`${root}/`)),
      );
    },
    namesOf,
    fingerprint: fingerprintOf(id),
    probe: (place) =>
      ask(place, "list", (client, sdk, abortSignal) =>
        client.send(new sdk.ListSecretsCommand({ MaxResults: 1 }), { abortSignal }),
      ).pipe(
        Effect.map((): Health => {
          const message = "The provider answers.";
          return {
            status: "ready",
            message,
            details: {
              code: "provider_ready",
              message: "Listing works; reading is tried with the first run that needs a value.",
              guidance: [],
            },
          };
        }),
        Effect.catch(
          ({ code, message }): Effect.Effect<Health> =>
            Effect.succeed({
              status: code === "access_denied" || code === "throttled" ? "warning" : "error",
              message,
              details: { code: "provider_needs_attention", message, guidance: guidanceFor(code) },
            }),
        ),
      ),
    diagnose: () =>
      Effect.sync(() => {
        const missing = [
          ...(deployment.region === null ? ["SERVICE_CLOUD_A_REGION"] : []),
          ...(deployment.deploymentId === null ? ["SERVICE_CLOUD_A_DEPLOYMENT_ID"] : []),
          ...(deployment.kmsKeyId === null ? ["SERVICE_CLOUD_A_KMS_KEY_ID"] : []),
        ];
        const ready = missing.length === 0;
        return {
          provider: id,
          status: ready ? ("ok" as const) : ("warn" as const),
          message: ready
            ? "The deployment is configured; vaults may override it."
            : `The deployment is not configured: ${missing.join(", ")} missing. Vaults that name a region work all the same.`,
          warnings: ready ? [] : [bootstrapRule],
          backupGuidance: ["Values and their versions are backed up by the provider, by its own rules."],
          details: {
            missingConfig: missing,
            requiredProviderConfig: ["region"],
            optionalProviderConfig: [
              "namespace",
              "secretNamePrefix",
              "kmsKeyId",
              "ownerTag",
              "environmentTag",
            ],
            credentialSource: usualCredentialSource,
            detectedCredentialSources: credentialSources(process.env),
            bootstrapRule,
          },
        };
      }),
  };
};

const bootstrapRule =
  "The provider's bootstrap credentials come from the server runtime's default credential source and must not be stored as company secrets.";

class RegionMissing extends Error {}
class NoValue extends Error {
  override readonly name = "ResourceNotFoundException";
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "");

const settingOf = (place: Place, field: string): string | null => {
  const value = place.vault?.config[field];
  return typeof value === "string" ? value : null;
};

const tagsOf = (place: Place) => {
  const tag = (Key: string, field: string) => {
    const Value = settingOf(place, field);
    return Value === null ? [] : [{ Key, Value }];
  };
  return [
    { Key: "boardroom:company", Value: place.companyId },
    ...tag("owner", "ownerTag"),
    ...tag("environment", "environmentTag"),
  ];
};

/** A version is named by its id or by a label, such as AWSPREVIOUS. Ids are UUIDs. */
const versionOf = (reference: string | null) =>
  reference === null
    ? {}
    : /^[0-9a-f-]{32,64}$/i.test(reference)
      ? { VersionId: reference }
      : { VersionStage: reference };

const guidanceFor = (code: string): readonly string[] => {
  switch (code) {
    case "access_denied":
      return [
        "Give the server's identity secretsmanager:ListSecrets, or do without the import of remote secrets.",
        "Reading needs secretsmanager:GetSecretValue, and kms:Decrypt where a key of your own is used.",
        bootstrapRule,
      ];
    case "throttled":
      return ["Wait a moment, then check again."];
    case "provider_unavailable":
      return ["See that the server reaches the provider's endpoint in the region of the vault."];
    default:
      return [`Credentials are expected from: ${usualCredentialSource}.`, bootstrapRule];
  }
};
