import { useCase } from "../../access/unit-of-work.ts";
import type { BoardCaller } from "../../model/access/caller.ts";
import type { NoticeChat } from "../../model/notices/notice-chat.ts";

/** The chat at which the caller gets notices; null: none. */
export const showChat = useCase("chat.show", function* (unit, caller: BoardCaller) {
  const found = yield* unit.chats.find(caller.userId);
  if (found === null) return null;
  const { userId: _, sealed: __, ...chat } = found;
  return chat satisfies NoticeChat;
});
