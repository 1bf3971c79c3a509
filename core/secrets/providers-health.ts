import * as Effect from "effect/Effect";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import { providers as known } from "../model/vaults/provider.ts";

/** Reports each provider's setup in this deployment: what is missing, and what to back up. Calls no provider. */
export const providersHealth = (providers: SecretProviders) => () =>
  Effect.all(known.map((provider) => providers.of(provider).diagnose())).pipe(
    Effect.map((all) => ({ providers: all })),
  );
