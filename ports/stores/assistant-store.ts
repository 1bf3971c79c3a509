import type * as Effect from "effect/Effect";
import type { Assistant, AuthorizationCode, RegisteredClient } from "../../core/model/access/assistant.ts";
import type { AssistantScope } from "../../core/model/access/assistant-scope.ts";
import type { AssistantId, UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** A token of an assistant. Only its hash is stored. */
export interface AssistantToken {
  /** SHA-256. */
  readonly hash: Uint8Array;
  readonly assistantId: AssistantId;
  readonly kind: "access" | "refresh";
  readonly scopes: readonly AssistantScope[];
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

/** When something that works once was used; null: not yet. */
interface Used {
  readonly usedAt: Instant | null;
}

type Owned<A> = A & { readonly assistant: Assistant };

export interface AssistantStore {
  findClient(id: string): Effect.Effect<RegisteredClient | null>;
  /** Forgets the oldest clients that no assistant uses, beyond `most` of them. */
  insertClient(client: RegisteredClient, most: number): Effect.Effect<void>;
  /** The assistants of a user that are connected at that time. */
  count(userId: UserId, at: Instant): Effect.Effect<number>;
  /** Forgets the assistants and tokens that are over, too. */
  insert(assistant: Assistant, code: AuthorizationCode): Effect.Effect<void>;
  /** The code with its assistant; locks that until the end of the transaction. Null: unknown, or of a disabled user. */
  lockCode(hash: Uint8Array): Effect.Effect<Owned<AuthorizationCode & Used> | null>;
  recordCodeUse(id: AssistantId, at: Instant): Effect.Effect<void>;
  /** The token with its assistant, as above. */
  lockToken(hash: Uint8Array): Effect.Effect<Owned<AssistantToken & Used> | null>;
  recordTokenUse(hash: Uint8Array, at: Instant): Effect.Effect<void>;
  /** The assistant stays connected as long as its last refresh token is valid. */
  insertTokens(access: AssistantToken, refresh: AssistantToken): Effect.Effect<void>;
  deleteToken(hash: Uint8Array): Effect.Effect<void>;
  /** Forgets an assistant of the user with its tokens. Null: the user has no such assistant. */
  delete(id: AssistantId, userId: UserId): Effect.Effect<Assistant | null>;
}
