import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import type { FlowSecrets, IdentityProviders } from "../../ports/identity-providers.ts";
import { SignInProviderNotFound } from "../model/access/sign-in-provider.ts";

/** They are derived from the flow, so that nothing is stored until somebody has signed in. */
export const secretsOf = (credentials: Credentials, flow: string): FlowSecrets => {
  const derived = (name: string) =>
    Buffer.from(credentials.fingerprint(["sign-in", name, flow])).toString("base64url");
  return { state: derived("state"), nonce: derived("nonce"), codeVerifier: derived("code verifier") };
};

export const providerNamed = (providers: IdentityProviders, id: string) => {
  const provider = providers.all.find((each) => each.id === id);
  return provider === undefined ? Effect.fail(new SignInProviderNotFound()) : Effect.succeed(provider);
};
