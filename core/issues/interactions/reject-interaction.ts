import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { endCard, lockOpenCard, type TheCard } from "./end-card.ts";
import { rejectionOf } from "./interaction.ts";

export interface RejectInteraction extends TheCard {
  readonly reason?: string | undefined;
}

/** Rejects a card and stores the reason. Wakes no agent. */
export const rejectInteraction =
  (transactor: Transactor, clock: Clock, ids: Ids) => (command: RejectInteraction) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const open = yield* lockOpenCard(stores, command);
        const { card } = open;
        const result = yield* Effect.fromResult(rejectionOf(card, command.reason));
        return yield* endCard(stores, ids, open, {
          status: "rejected",
          result,
          by: command.by,
          at: clock.now(),
        });
      }),
    );
