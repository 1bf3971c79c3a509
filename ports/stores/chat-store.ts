import type * as Effect from "effect/Effect";
import type { NoticeChat } from "../../core/model/notices/notice-chat.ts";
import type { UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface SealedChat extends NoticeChat {
  readonly userId: UserId;
  /** Its address. */
  readonly sealed: Uint8Array;
}

/** The chat of each person for notices. */
export interface ChatStore {
  /** null: the person has none. */
  find(userId: UserId): Effect.Effect<SealedChat | null>;
  /** Stores it, in place of the one before. */
  save(chat: SealedChat): Effect.Effect<void>;
  delete(userId: UserId): Effect.Effect<void>;
  /** The chat accepted a notice, or did not: `error` says why. Nothing is stored if it was replaced meanwhile. */
  recordAttempt(
    chat: Pick<SealedChat, "userId" | "createdAt">,
    at: Instant,
    error: string | null,
  ): Effect.Effect<void>;
}
