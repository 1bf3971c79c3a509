import type * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type {
  ProvedIdentity,
  SignInAnswerNotValid,
  SignInProvider,
  SignInProviderUnavailable,
} from "../core/model/access/sign-in-provider.ts";

/** The values that bind an answer to the browser that asked: each is new for a sign-in, and nobody else knows it. */
export interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface AuthorizationRequest extends FlowSecrets {
  readonly redirectUrl: string;
}

export interface AuthorizationResponse extends AuthorizationRequest {
  /** The query with which the provider sent the browser back. */
  readonly response: string;
}

/** The answer of a provider about a person. */
export interface IdentityAnswer extends ProvedIdentity {
  /** Reads the groups again without the person; null: the provider gives none. */
  readonly refreshToken: Redacted.Redacted<string> | null;
}

/** OpenID providers by the operator's settings. */
export interface IdentityProviders {
  readonly all: readonly SignInProvider[];
  /** The address at which a person signs in. */
  begin(
    provider: SignInProvider,
    request: AuthorizationRequest,
  ): Effect.Effect<string, SignInProviderUnavailable>;
  /**
   * Exchanges the code of a response once its state, issuer and error are checked, and verifies the ID token: signature,
   * issuer, audience, nonce and time.
   */
  finish(
    provider: SignInProvider,
    response: AuthorizationResponse,
  ): Effect.Effect<IdentityAnswer, SignInProviderUnavailable | SignInAnswerNotValid>;
  /**
   * Asks for the claims of a person who has signed in before. `SignInAnswerNotValid`: the provider no longer accepts the
   * token. Every other failure says nothing about the person, and is `SignInProviderUnavailable`.
   */
  refresh(
    provider: SignInProvider,
    subject: string,
    refreshToken: Redacted.Redacted<string>,
  ): Effect.Effect<IdentityAnswer, SignInProviderUnavailable | SignInAnswerNotValid>;
  /** The address that ends the session at the provider and returns to `returnUrl`; null: it has none, or is silent. */
  signOutUrl(provider: SignInProvider, returnUrl: string): Effect.Effect<string | null>;
}
