import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { transactAs } from "../../../access/transact-as.ts";
import type { InteractionResult } from "../../../model/issues/interactions/interaction.ts";
import { refusalOfCancel } from "../../../model/issues/interactions/interaction-actions.ts";
import { endInteraction, type InteractionCommand, lockOpenInteraction } from "./end-interaction.ts";

/** Cancels an interaction. An agent may cancel only its own. */
export const cancelInteraction =
  (transactor: Transactor, clock: Clock, ids: Ids) => (command: InteractionCommand) =>
    transactAs(transactor, command.by, function* (stores) {
      const { by } = command;
      const open = yield* lockOpenInteraction(stores, command, refusalOfCancel);
      const result: InteractionResult = {
        version: 1,
        outcome: by.kind === "agent" ? "withdrawn" : "cancelled",
      };
      return yield* endInteraction(stores, ids, open, { status: "cancelled", result, by, at: clock.now() });
    });
