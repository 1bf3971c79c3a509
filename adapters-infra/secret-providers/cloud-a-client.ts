import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as Effect from "effect/Effect";
import type { ProviderFailure } from "../../core/model/secrets/provider-failure.ts";
import type { VaultScope } from "../../ports/secret-provider.ts";
import { prepareSdk } from "../aws/prepare-sdk.ts";
import { defaultCredentialSource } from "./cloud-a-credentials.ts";
import { failureOf } from "./cloud-a-failure.ts";
import { type CloudADeployment, cloudAId, missingVariables, settingsOf } from "./cloud-a-settings.ts";

const timeoutMs = 30_000;
const connectTimeoutMs = 5_000;
const attempts = 3;

type Sdk = typeof import("@aws-sdk/client-secrets-manager");

/** Makes one call of the SDK. Converts its errors and drops their text. */
export type AskCloudA = <A>(
  scope: VaultScope,
  operation: string,
  call: (
    client: SecretsManagerClient,
    sdk: Sdk,
    options: { readonly abortSignal: AbortSignal },
  ) => Promise<A>,
) => Effect.Effect<A, ProviderFailure>;

/** Keeps one client per region. The first call loads the SDK, which finds its credentials itself and retries. */
export const cloudAClient = (deployment: CloudADeployment): AskCloudA => {
  const clients = new Map<string, Promise<SecretsManagerClient>>();
  const clientFor = (region: string): Promise<SecretsManagerClient> => {
    const known = clients.get(region);
    if (known !== undefined) return known;
    prepareSdk();
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

  return (scope, operation, call) =>
    Effect.tryPromise({
      try: async (abortSignal) => {
        const { region } = settingsOf(deployment, scope);
        if (region === null) throw new RegionMissing();
        return call(await clientFor(region), await import("@aws-sdk/client-secrets-manager"), {
          abortSignal,
        });
      },
      catch: (error) =>
        failureOf(
          error,
          { provider: cloudAId, operation, providerConfigId: scope.vault?.id ?? null },
          { missingConfig: missingVariables(deployment), credentialSource: defaultCredentialSource },
        ),
    });
};

class RegionMissing extends Error {
  override readonly name = "RegionMissing";
}
