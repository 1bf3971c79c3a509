import * as Effect from "effect/Effect";
import type { ProviderFailure } from "../../core/model/secrets/provider-failure.ts";
import type { Health } from "../../core/model/vaults/vault.ts";
import type { SecretProvider } from "../../ports/secret-provider.ts";
import type { AskCloudA } from "./cloud-a-client.ts";
import { credentialSources, defaultCredentialSource } from "./cloud-a-credentials.ts";
import { type CloudADeployment, cloudAId, missingVariables } from "./cloud-a-settings.ts";

/** Reports whether the provider works for a vault, and how the deployment is configured. */
export const cloudAHealth = (
  deployment: CloudADeployment,
  ask: AskCloudA,
): Pick<SecretProvider, "probe" | "diagnose"> => ({
  probe: (scope) =>
    ask(scope, "list", (client, sdk, options) =>
      client.send(new sdk.ListSecretsCommand({ MaxResults: 1 }), options),
    ).pipe(
      Effect.as(ready),
      Effect.catch((failure) => Effect.succeed(healthOf(failure, missingVariables(deployment)))),
    ),
  diagnose: () =>
    Effect.sync(() => {
      const missing = missingVariables(deployment);
      const isReady = missing.length === 0;
      return {
        provider: cloudAId,
        status: isReady ? ("ok" as const) : ("warn" as const),
        message: isReady
          ? "The deployment is configured; vaults may override it."
          : `The deployment isn't configured: ${missing.join(", ")} missing. Vaults with a region still work.`,
        warnings: isReady ? [] : [bootstrapRule],
        backupGuidance: ["The provider backs up values and their versions."],
        details: {
          missingConfig: missing,
          requiredProviderConfig: ["region"],
          optionalProviderConfig: ["namespace", "secretNamePrefix", "kmsKeyId", "ownerTag", "environmentTag"],
          credentialSource: defaultCredentialSource,
          detectedCredentialSources: credentialSources(process.env),
          bootstrapRule,
        },
      };
    }),
});

const bootstrapRule =
  "The provider's bootstrap credentials come from the server runtime's default credential source and must not be stored as company secrets.";

const ready: Health = {
  status: "ready",
  message: "The provider answers.",
  details: {
    code: "provider_ready",
    message: "Listing works; the first run that needs a value tests reading.",
    guidance: [],
  },
};

const healthOf = (failure: ProviderFailure, missing: readonly string[]): Health => {
  const { code, message } = failure;
  const isSetUp = (failure.details as { reason?: string } | undefined)?.reason !== "credentials_missing";
  const guidance = [
    ...guidanceFor(code),
    `Credentials are expected from ${defaultCredentialSource}.`,
    ...(missing.length === 0 ? [] : [`Variables of the service that are not set: ${missing.join(", ")}.`]),
  ];
  return {
    status: isSetUp && (code === "access_denied" || code === "throttled") ? "warning" : "error",
    message,
    details: { code: "provider_needs_attention", message, guidance },
  };
};

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
      return [bootstrapRule];
  }
};
