import * as Effect from "effect/Effect";
import { useCase } from "../../../access/unit-of-work.ts";
import { rejectionOf } from "../../../model/issues/interactions/interaction.ts";
import { refusalOfDecision } from "../../../model/issues/interactions/interaction-actions.ts";
import { endInteraction, type InteractionCommand, lockOpenInteraction } from "./end-interaction.ts";

export interface RejectInteraction extends InteractionCommand {
  readonly reason?: string | undefined;
}

/** Rejects an interaction and stores the reason. Wakes no agent. */
export const rejectInteraction = useCase(
  "issues.interactions.reject",
  function* (unit, command: RejectInteraction) {
    const open = yield* lockOpenInteraction(unit, command, refusalOfDecision);
    const { interaction } = open;
    const result = yield* Effect.fromResult(rejectionOf(interaction, command.reason));
    return yield* endInteraction(unit, open, { status: "rejected", result });
  },
);
