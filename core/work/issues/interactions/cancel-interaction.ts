import { useCase } from "../../../access/unit-of-work.ts";
import type { InteractionResult } from "../../../model/issues/interactions/interaction.ts";
import { refusalOfCancel } from "../../../model/issues/interactions/interaction-actions.ts";
import { endInteraction, type InteractionCommand, lockOpenInteraction } from "./end-interaction.ts";

/** Cancels an interaction. An agent may cancel only its own. */
export const cancelInteraction = useCase(
  "issues.interactions.cancel",
  function* (unit, command: InteractionCommand) {
    const open = yield* lockOpenInteraction(unit, command, refusalOfCancel);
    const result: InteractionResult = {
      version: 1,
      outcome: unit.by.kind === "agent" ? "withdrawn" : "cancelled",
    };
    return yield* endInteraction(unit, open, { status: "cancelled", result });
  },
);
