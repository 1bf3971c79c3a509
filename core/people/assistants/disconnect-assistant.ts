import * as Effect from "effect/Effect";
import { useCase } from "../../access/unit-of-work.ts";
import { AssistantNotFound } from "../../model/access/assistant.ts";
import type { BoardCaller } from "../../model/access/caller.ts";
import type { AssistantId } from "../../model/shared/ids.ts";
import { logOfAssistant } from "./log-of-assistant.ts";

export interface DisconnectAssistant {
  readonly assistantId: AssistantId;
  readonly caller: BoardCaller;
}

/** Ends an assistant of the caller: its tokens are invalid from then on. */
export const disconnectAssistant = useCase(
  "access.disconnectAssistant",
  function* (unit, { assistantId, caller }: DisconnectAssistant) {
    const ended = yield* unit.assistants.delete(assistantId, caller.userId);
    if (ended === null) return yield* Effect.fail(new AssistantNotFound());
    yield* logOfAssistant(unit, ended, "member.assistant_disconnected", { name: ended.name, reused: false });
    return { ok: true as const };
  },
);
