import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { transact } from "../../../access/transact-as.ts";
import { rejectionOf } from "../../../model/issues/interactions/interaction.ts";
import { refusalOfDecision } from "../../../model/issues/interactions/interaction-actions.ts";
import { endInteraction, type InteractionCommand, lockOpenInteraction } from "./end-interaction.ts";

export interface RejectInteraction extends InteractionCommand {
  readonly reason?: string | undefined;
}

/** Rejects an interaction and stores the reason. Wakes no agent. */
export const rejectInteraction =
  (transactor: Transactor, clock: Clock, ids: Ids) => (command: RejectInteraction) =>
    transact(transactor, function* (stores) {
      const open = yield* lockOpenInteraction(stores, command, refusalOfDecision);
      const { interaction } = open;
      const result = yield* Effect.fromResult(rejectionOf(interaction, command.reason));
      return yield* endInteraction(stores, ids, open, {
        status: "rejected",
        result,
        by: command.by,
        at: clock.now(),
      });
    });
