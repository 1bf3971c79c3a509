import { type ChatContext, chatChannel } from "./chat-channel.ts";
import { removeChat } from "./remove-chat.ts";
import { setChat } from "./set-chat.ts";
import { showChat } from "./show-chat.ts";

/** The use cases of people's chats for notices, and the channel to them. */
export const noticeChats = (context: ChatContext) => ({
  channel: chatChannel(context),
  show: showChat(context),
  set: setChat(context),
  remove: removeChat(context),
});

export type NoticeChats = ReturnType<typeof noticeChats>;
