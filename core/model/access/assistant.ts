import { refusal } from "../shared/failure.ts";
import type { AssistantId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { AssistantScope } from "./assistant-scope.ts";

/** A program of a person that acts with their rights, after they have allowed it: a grant of OAuth. */
export interface Assistant {
  readonly id: AssistantId;
  readonly userId: UserId;
  /** The id of its client: of a registration, or the address of its document. */
  readonly clientId: string;
  /** As the client names itself, which proves nothing. */
  readonly name: string;
  /** Where the person was sent back to: a host, or the scheme of an app. */
  readonly host: string;
  readonly scopes: readonly AssistantScope[];
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
}

/** The code of an authorization, with what must be shown to exchange it. Only its hash is stored. */
export interface AuthorizationCode {
  /** SHA-256. */
  readonly hash: Uint8Array;
  /** SHA-256 of the verifier, in base64url. */
  readonly challenge: string;
  readonly redirectUri: string;
  readonly expiresAt: Instant;
}

/** The code is exchanged within this time, in seconds. */
export const authorizationCodeSec = 60;

/** An access token is valid for this time, in seconds. */
export const accessTokenSec = 30 * 60;

/** An assistant that doesn't refresh its token for this time is disconnected, in seconds. */
export const refreshTokenSec = 30 * 24 * 60 * 60;

export const mostAssistants = 50;

/** A client that registered itself. */
export interface RegisteredClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly createdAt: Instant;
}

/** Registrations that no assistant uses; a further one takes the place of the oldest. */
export const mostUnusedClients = 1_000;

/** Codes and tokens that don't exist, are over, or belong to another client: each gets the same answer. */
export class GrantNotValid extends refusal(
  "invalid_grant",
  "invalid",
  "The code or token isn't valid. Authorize again.",
) {}

/** Of a refresh: it can narrow the scopes, never widen them. */
export class ScopeNotGranted extends refusal(
  "invalid_scope",
  "invalid",
  "The scope is unknown, or wasn't granted.",
) {}

/** The tokens are for the service's tools alone. */
export class ResourceNotOurs extends refusal(
  "invalid_target",
  "invalid",
  "The resource isn't this service's.",
) {}

/** The request to authorize is wrong, and the address to send the person back to isn't known to be the client's. */
export class AuthorizationNotValid extends refusal(
  "authorization_not_valid",
  "unprocessable",
  "This link to connect an assistant isn't valid. Start again in the assistant.",
) {}

export class AssistantNeedsSession extends refusal(
  "assistant_needs_session",
  "forbidden",
  "Only a web session can connect an assistant. Sign in on the board page.",
) {}

export class TooManyAssistants extends refusal(
  "too_many_assistants",
  "conflict",
  `You have ${mostAssistants} assistants. Disconnect one first.`,
) {}

export class AssistantNotFound extends refusal("assistant_not_found", "not_found", "Assistant not found.") {}
