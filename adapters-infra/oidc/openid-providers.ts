import * as Effect from "effect/Effect";
import type { Configuration, IDToken, UserInfoResponse } from "openid-client";
import {
  type ProvedIdentity,
  SignInAnswerNotValid,
  type SignInProvider,
  SignInProviderUnavailable,
} from "../../core/model/access/sign-in-provider.ts";
import type { IdentityProviders } from "../../ports/identity-providers.ts";

export interface OpenIdSettings extends SignInProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly groupsClaim: string;
}

const timeoutSec = 10;

/** Loaded with the first sign-in: most services have no provider. */
const library = () => import("openid-client");

/** OpenID Connect by openid-client: authorization code with PKCE, state and nonce. */
export const openIdProviders = (settings: readonly OpenIdSettings[]): IdentityProviders => {
  const discovered = new Map<string, Promise<Configuration>>();
  const discover = async ({ id, issuer, clientId, clientSecret }: OpenIdSettings): Promise<Configuration> => {
    const { discovery, allowInsecureRequests, ClientSecretBasic } = await library();
    const url = new URL(issuer);
    // The settings allow http for loopback addresses alone.
    const execute = url.protocol === "http:" ? [allowInsecureRequests] : [];
    const asked =
      discovered.get(id) ??
      discovery(url, clientId, undefined, ClientSecretBasic(clientSecret), { execute, timeout: timeoutSec });
    discovered.set(id, asked);
    // After a failure the next sign-in tries again.
    asked.catch(() => discovered.delete(id));
    return asked;
  };
  const settingsOf = ({ id }: SignInProvider): OpenIdSettings => settings.find((each) => each.id === id)!;
  const configured = (provider: SignInProvider) =>
    Effect.tryPromise({
      try: () => discover(settingsOf(provider)),
      catch: () => new SignInProviderUnavailable(),
    });
  return {
    all: settings.map(({ id, name, roles }) => ({ id, name, roles })),
    begin: (provider, { redirectUrl, state, nonce, codeVerifier }) =>
      Effect.gen(function* () {
        const config = yield* configured(provider);
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = yield* Effect.promise(library);
        const challenge = yield* Effect.promise(() => calculatePKCECodeChallenge(codeVerifier));
        return buildAuthorizationUrl(config, {
          redirect_uri: redirectUrl,
          scope: scopesOf(config, settingsOf(provider)),
          state,
          nonce,
          code_challenge: challenge,
          code_challenge_method: "S256",
        }).href;
      }),
    finish: (provider, { redirectUrl, response, state, nonce, codeVerifier }) =>
      Effect.gen(function* () {
        const config = yield* configured(provider);
        const claims = yield* Effect.tryPromise({
          try: async () => {
            const { authorizationCodeGrant, fetchUserInfo } = await library();
            const tokens = await authorizationCodeGrant(config, new URL(`${redirectUrl}?${response}`), {
              expectedState: state,
              expectedNonce: nonce,
              pkceCodeVerifier: codeVerifier,
              idTokenExpected: true,
            });
            const inToken = tokens.claims()!;
            const isWhole = inToken.email !== undefined && settingsOf(provider).groupsClaim in inToken;
            const { userinfo_endpoint: endpoint } = config.serverMetadata();
            if (isWhole || endpoint === undefined) return inToken;
            return { ...(await fetchUserInfo(config, tokens.access_token, inToken.sub)), ...inToken };
          },
          catch: refusalOf,
        });
        return identityOf(provider, claims, settingsOf(provider).groupsClaim);
      }),
    signOutUrl: (provider, returnUrl) =>
      configured(provider).pipe(
        Effect.flatMap((config) =>
          Effect.promise(async () => {
            if (config.serverMetadata().end_session_endpoint === undefined) return null;
            const { buildEndSessionUrl } = await library();
            return buildEndSessionUrl(config, { post_logout_redirect_uri: returnUrl }).href;
          }),
        ),
        // The person is signed out here, even where the provider is silent.
        Effect.catch(() => Effect.succeed(null)),
      ),
  };
};

/** Groups have a scope of their own at some providers, which then list it. */
const scopesOf = (config: Configuration, { groupsClaim }: OpenIdSettings): string => {
  const { scopes_supported: supported } = config.serverMetadata();
  return ["openid", "email", "profile", ...(supported?.includes(groupsClaim) ? [groupsClaim] : [])].join(" ");
};

/** Only a connection that failed is worth another try with the same answer. */
const refusalOf = (error: unknown): SignInProviderUnavailable | SignInAnswerNotValid => {
  const code = (error as { readonly code?: unknown }).code;
  const isSilent = error instanceof TypeError || code === "OAUTH_TIMEOUT";
  return isSilent ? new SignInProviderUnavailable() : new SignInAnswerNotValid();
};

const identityOf = (
  provider: SignInProvider,
  claims: IDToken & Partial<UserInfoResponse>,
  groupsClaim: string,
): ProvedIdentity => {
  const { iss: issuer, sub: subject, email, email_verified: isVerified } = claims;
  const groups = claims[groupsClaim];
  return {
    provider,
    issuer,
    subject,
    // Nothing but `true`: a provider that says nothing has not verified the address.
    verifiedEmail: isVerified === true && typeof email === "string" ? email.toLowerCase() : null,
    groups: (Array.isArray(groups) ? groups : [groups]).filter((each) => typeof each === "string"),
  };
};
