import * as Effect from "effect/Effect";
import type { NoticeAttempt, NoticeChannel } from "../../../ports/notice-channels.ts";
import type { OutboundAnswer, OutboundPosts } from "../../../ports/outbound-posts.ts";
import type { SecretCipher } from "../../../ports/secret-cipher.ts";
import { transactAsSystem, type UseCaseContext } from "../../access/unit-of-work.ts";
import { chatMessage } from "../../model/events/chat-message.ts";
import { chatText } from "../../model/notices/notice-chat.ts";
import type { UserId } from "../../model/shared/ids.ts";
import { openedAddress } from "./chat-address.ts";

export interface ChatContext extends UseCaseContext {
  readonly cipher: SecretCipher;
  readonly posts: OutboundPosts;
  /** The address of the service for people, without a slash at its end. */
  readonly address: () => string;
}

/** Notices by the incoming webhook of a chat. A message that was sent can't be withdrawn: a webhook only writes. */
export const chatChannel = (context: ChatContext): NoticeChannel => {
  const opened = (userId: UserId) =>
    transactAsSystem(context, "chat.prepare", function* (unit) {
      const chat = yield* unit.chats.find(userId);
      return chat && { chat, url: yield* openedAddress(unit, context.cipher, chat) };
    });
  return {
    name: "chat",
    canReach: (userId) =>
      transactAsSystem(context, "chat.canReach", function* (unit) {
        return (yield* unit.chats.find(userId)) !== null;
      }),
    send: (notice) =>
      Effect.gen(function* () {
        const found = yield* opened(notice.userId);
        if (found === null) return "unreachable";
        const { chat, url } = found;
        const message = chatMessage(chat.format, chatText(notice), `${context.address()}${notice.path}`);
        const answer = yield* context.posts.post({
          url,
          headers: { "content-type": "application/json", "user-agent": "Boardroom" },
          body: JSON.stringify(message),
        });
        const attempt = attemptOf(answer);
        yield* transactAsSystem(context, "chat.finish", function* (unit) {
          yield* unit.chats.recordAttempt(chat, unit.at, attempt === "sent" ? null : errorOf(url, answer));
        });
        return attempt;
      }),
    withdraw: () => Effect.succeed("sent"),
  };
};

/** A chat that doesn't know the webhook any more, or refuses the message, refuses it again. The next one may be accepted. */
const attemptOf = ({ status }: OutboundAnswer): NoticeAttempt => {
  if (status === null || status === 408 || status === 429 || status >= 500) return "failed";
  return status >= 200 && status < 300 ? "sent" : "unreachable";
};

/** Without the answer of the chat, which may repeat the address. */
const errorOf = (url: string, { status, text }: OutboundAnswer): string =>
  status === null ? text : `${new URL(url).host} answered ${status}.`;
