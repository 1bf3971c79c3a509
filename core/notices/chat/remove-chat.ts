import { useCase } from "../../access/unit-of-work.ts";
import type { BoardCaller } from "../../model/access/caller.ts";

/** The caller gets no more notices in a chat. */
export const removeChat = useCase("chat.remove", function* (unit, caller: BoardCaller) {
  yield* unit.chats.delete(caller.userId);
});
