import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type {
  Configuration,
  IDToken,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from "openid-client";
import {
  SignInAnswerNotValid,
  type SignInProvider,
  SignInProviderUnavailable,
} from "../../core/model/access/sign-in-provider.ts";
import type {
  AuthorizationResponse,
  IdentityAnswer,
  IdentityProviders,
} from "../../ports/identity-providers.ts";

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
    finish: (provider, response) =>
      Effect.flatMap(configured(provider), (config) =>
        Effect.tryPromise({
          try: () => exchangeCode(config, settingsOf(provider), response),
          catch: refusalOf,
        }),
      ),
    refresh: (provider, subject, refreshToken) =>
      Effect.flatMap(configured(provider), (config) =>
        Effect.tryPromise({
          try: () => exchangeRefreshToken(config, settingsOf(provider), subject, refreshToken),
          catch: refusalOfRefresh,
        }),
      ),
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

/** Groups have a scope of their own at some providers, and so do refresh tokens: both then list it. */
const scopesOf = (config: Configuration, { groupsClaim, roles }: OpenIdSettings): string => {
  const supported = config.serverMetadata().scopes_supported ?? [];
  const ofGroups = roles.length === 0 ? [] : [groupsClaim, "offline_access"];
  return ["openid", "email", "profile", ...ofGroups.filter((scope) => supported.includes(scope))].join(" ");
};

/** Only a connection that failed is worth another try with the same answer. */
const refusalOf = (error: unknown): SignInProviderUnavailable | SignInAnswerNotValid => {
  const code = (error as { readonly code?: unknown }).code;
  const isSilent = error instanceof TypeError || code === "OAUTH_TIMEOUT";
  return isSilent ? new SignInProviderUnavailable() : new SignInAnswerNotValid();
};

/**
 * Only this answer says that the person may no longer be signed in: one about the service, such as a wrong client secret or too many
 * requests, says nothing about the person.
 */
const refusalOfRefresh = (error: unknown): SignInProviderUnavailable | SignInAnswerNotValid =>
  (error as { readonly error?: unknown }).error === "invalid_grant"
    ? new SignInAnswerNotValid()
    : new SignInProviderUnavailable();

const exchangeCode = async (
  config: Configuration,
  settings: OpenIdSettings,
  { redirectUrl, response, state, nonce, codeVerifier }: AuthorizationResponse,
): Promise<IdentityAnswer> => {
  const { authorizationCodeGrant } = await library();
  const tokens = await authorizationCodeGrant(config, new URL(`${redirectUrl}?${response}`), {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  });
  return identityOf(config, settings, tokens, tokens.claims()!.sub);
};

const exchangeRefreshToken = async (
  config: Configuration,
  settings: OpenIdSettings,
  subject: string,
  refreshToken: Redacted.Redacted<string>,
): Promise<IdentityAnswer> => {
  const { refreshTokenGrant } = await library();
  const tokens = await refreshTokenGrant(config, Redacted.value(refreshToken));
  const groupsInToken = tokens.claims()?.[settings.groupsClaim];
  if (groupsInToken === undefined && config.serverMetadata().userinfo_endpoint === undefined)
    throw new Error("The provider does not repeat the groups.");
  const identity = await identityOf(config, settings, tokens, subject);
  // A provider that doesn't rotate the token sends none.
  return { ...identity, refreshToken: identity.refreshToken ?? refreshToken };
};

/** @throws what the library throws for an answer that it cannot verify, or that is about another subject */
const identityOf = async (
  config: Configuration,
  { id, name, roles, issuer: setIssuer, groupsClaim }: OpenIdSettings,
  tokens: TokenEndpointResponse & TokenEndpointResponseHelpers,
  subject: string,
): Promise<IdentityAnswer> => {
  const { fetchUserInfo } = await library();
  const { userinfo_endpoint: endpoint, issuer } = config.serverMetadata();
  const inToken: Partial<IDToken> = tokens.claims() ?? {};
  if (inToken.sub !== undefined && inToken.sub !== subject)
    throw new Error("The token is of another subject.");
  const isWhole = inToken.email !== undefined && groupsClaim in inToken;
  const claims: Partial<IDToken> =
    isWhole || endpoint === undefined
      ? inToken
      : { ...(await fetchUserInfo(config, tokens.access_token, subject)), ...inToken };
  const { email, email_verified: isVerified } = claims;
  const groups = claims[groupsClaim];
  return {
    provider: { id, name, roles },
    issuer: inToken.iss ?? issuer ?? setIssuer,
    subject,
    // Nothing but `true`: a provider that says nothing has not verified the address.
    verifiedEmail: isVerified === true && typeof email === "string" ? email.toLowerCase() : null,
    groups: (Array.isArray(groups) ? groups : [groups]).filter((each) => typeof each === "string"),
    refreshToken: tokens.refresh_token === undefined ? null : Redacted.make(tokens.refresh_token),
  };
};
