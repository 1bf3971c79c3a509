import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { SecretCipher } from "../../../ports/secret-cipher.ts";
import type { SealedChat } from "../../../ports/stores/chat-store.ts";
import type { Stores } from "../../../ports/transactor.ts";
import type { UserId } from "../../model/shared/ids.ts";

const ownerOf = (id: UserId) => ({ companyId: null, kind: "notice_chat", id, version: 1 });

type DataKeys = Pick<Stores, "dataKeys">;

/** Sealed, because the address of an incoming webhook is all that writing to the chat takes. */
export const sealedAddress = (
  { dataKeys }: DataKeys,
  cipher: SecretCipher,
  userId: UserId,
  url: string,
): Effect.Effect<Uint8Array> => cipher.seal(dataKeys, ownerOf(userId), Redacted.make(url));

export const openedAddress = (
  { dataKeys }: DataKeys,
  cipher: SecretCipher,
  { userId, sealed }: Pick<SealedChat, "userId" | "sealed">,
): Effect.Effect<string> =>
  Effect.map(Effect.orDie(cipher.open(dataKeys, ownerOf(userId), sealed)), Redacted.value);
