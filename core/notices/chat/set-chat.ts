import * as Effect from "effect/Effect";
import { transact } from "../../access/unit-of-work.ts";
import { actorOf, type BoardCaller } from "../../model/access/caller.ts";
import type { ChatFormat } from "../../model/events/event-format.ts";
import { problemOfUrl, shownUrl } from "../../model/events/event-subscription.ts";
import { ChatRefused, type NoticeChat } from "../../model/notices/notice-chat.ts";
import { ValidationFailed } from "../../model/shared/failure.ts";
import { sealedAddress } from "./chat-address.ts";
import type { ChatContext } from "./chat-channel.ts";

export interface SetChat {
  readonly caller: BoardCaller;
  readonly format: ChatFormat;
  readonly url: string;
}

/** Sends the notices of the caller to the incoming webhook of a chat, in place of the one before. */
export const setChat =
  (context: ChatContext) =>
  ({ caller: { userId }, caller, format, url }: SetChat) =>
    Effect.gen(function* () {
      const message = problemOfUrl(url, format);
      if (message !== null)
        return yield* Effect.fail(new ValidationFailed([{ path: ["url"], code: "invalid", message }]));
      const refusal = yield* context.posts.refusal(url);
      if (refusal !== null) return yield* Effect.fail(new ChatRefused({ path: ["url"] }, refusal));
      return yield* transact(context, "chat.set", actorOf(caller), function* (unit) {
        const chat: NoticeChat = {
          format,
          url: shownUrl(url, format),
          createdAt: unit.at,
          lastUsedAt: null,
          lastError: null,
        };
        yield* unit.chats.save({
          ...chat,
          userId,
          sealed: yield* sealedAddress(unit, context.cipher, userId, url),
        });
        return chat;
      });
    });
