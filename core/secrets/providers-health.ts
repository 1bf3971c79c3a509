import * as Effect from "effect/Effect";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import { providers as known } from "../vaults/provider.ts";

/** How each provider is set up in this deployment: what is missing, and what to back up. Asks nobody. */
export const providersHealth = (providers: SecretProviders) => () =>
  Effect.all(known.map((provider) => providers.of(provider).diagnose())).pipe(
    Effect.map((all) => ({ providers: all })),
  );
