import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import type { IdentityProviders } from "../../ports/identity-providers.ts";
import { providerFlowSec } from "../model/access/sign-in-provider.ts";
import { providerNamed, secretsOf } from "./provider-flow.ts";

export interface BeginProviderSignIn {
  readonly provider: string;
  readonly redirectUrl: string;
}

/** Begins a sign-in at a provider: the address for the browser, and what it must bring back with the provider's answer. */
export const beginProviderSignIn =
  (providers: IdentityProviders, credentials: Credentials) =>
  ({ provider: id, redirectUrl }: BeginProviderSignIn) =>
    Effect.gen(function* () {
      const provider = yield* providerNamed(providers, id);
      const flow = yield* credentials.mintFlow(id, providerFlowSec);
      const url = yield* providers.begin(provider, { redirectUrl, ...secretsOf(credentials, flow) });
      return { url, flow };
    });
