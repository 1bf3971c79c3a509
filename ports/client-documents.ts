import type * as Effect from "effect/Effect";
import type { AuthorizationNotValid } from "../core/model/access/assistant.ts";
import type { ClientMetadata } from "../core/model/access/client-metadata.ts";

/** Documents by which clients of OAuth describe themselves: the client id is the address. */
export interface ClientDocuments {
  /**
   * Reads a document by https, as `OutboundPosts` judges addresses; follows no redirect, and takes at most 5 KB within
   * 5 seconds. A sound one is read again when its headers say so, after a day at the latest.
   */
  read(clientId: string): Effect.Effect<ClientMetadata, AuthorizationNotValid>;
}
