import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import type { Assistant } from "../../model/access/assistant.ts";
import { logOfAssistant } from "./log-of-assistant.ts";

/** Ends an assistant with all its tokens. `reused`: a code or token came twice, so somebody else has it. */
export const endAssistant = (unit: UnitOfWork, { id, userId }: Assistant, reused: boolean) =>
  Effect.gen(function* () {
    const ended = yield* unit.assistants.delete(id, userId);
    if (ended !== null)
      yield* logOfAssistant(unit, ended, "member.assistant_disconnected", { name: ended.name, reused });
    return ended !== null;
  });
