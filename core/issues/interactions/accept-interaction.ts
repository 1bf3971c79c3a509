import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Stores, Transactor } from "../../../ports/transactor.ts";
import type { Instant } from "../../shared/instant.ts";
import { createTasks } from "./create-tasks.ts";
import { endCard, lockOpenCard, type OpenCard, type TheCard } from "./end-card.ts";
import { InteractionAnswerInvalid, type InteractionResult, InteractionWrongKind } from "./interaction.ts";

export interface AcceptInteraction extends TheCard {
  /** The suggested tasks to create; all where it is missing. */
  readonly selectedClientKeys?: readonly string[] | undefined;
}

/**
 * Accepts a confirmation, or suggested tasks, whose issues it creates in the same transaction. Wakes the assignee once.
 */
export const acceptInteraction =
  (transactor: Transactor, clock: Clock, ids: Ids) => (command: AcceptInteraction) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const { by } = command;
        const open = yield* lockOpenCard(stores, command);
        const at = clock.now();
        const result = yield* acceptedResult(stores, ids, open, command, at);
        return yield* endCard(stores, ids, open, { status: "accepted", result, by, at });
      }),
    );

const acceptedResult = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  { issue, card }: OpenCard,
  { by, selectedClientKeys }: AcceptInteraction,
  at: Instant,
) {
  switch (card.kind) {
    case "ask_user_questions":
      return yield* Effect.fail(
        new InteractionWrongKind({ kind: card.kind }, "Questions are answered: respond."),
      );
    case "request_confirmation": {
      if (selectedClientKeys !== undefined)
        yield* Effect.fail(
          new InteractionAnswerInvalid(
            { path: ["selectedClientKeys"] },
            "A confirmation has no tasks to choose from.",
          ),
        );
      const accepted: InteractionResult = { version: 1, outcome: "accepted" };
      return accepted;
    }
    case "suggest_tasks":
      return yield* createTasks(stores, ids, { issue, payload: card.payload, selectedClientKeys, by, at });
  }
});
