import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Stores, Transactor } from "../../../../ports/transactor.ts";
import { transact } from "../../../access/transact-as.ts";
import {
  InteractionAnswerInvalid,
  type InteractionResult,
} from "../../../model/issues/interactions/interaction.ts";
import { refusalOfDecision } from "../../../model/issues/interactions/interaction-actions.ts";
import type { Instant } from "../../../model/shared/instant.ts";
import { createTasks } from "./create-tasks.ts";
import {
  endInteraction,
  type InteractionCommand,
  lockOpenInteraction,
  type OpenInteraction,
} from "./end-interaction.ts";

export interface AcceptInteraction extends InteractionCommand {
  /** The suggested tasks to create; all where it is missing. */
  readonly selectedClientKeys?: readonly string[] | undefined;
}

/**
 * Accepts a confirmation or what a run's program asks, or suggested tasks, whose issues it creates in the same
 * transaction. Wakes the assignee once.
 */
export const acceptInteraction =
  (transactor: Transactor, clock: Clock, ids: Ids) => (command: AcceptInteraction) =>
    transact(transactor, function* (stores) {
      const { by } = command;
      const open = yield* lockOpenInteraction(stores, command, refusalOfDecision);
      const at = clock.now();
      const result = yield* acceptedResult(stores, ids, open, command, at);
      return yield* endInteraction(stores, ids, open, { status: "accepted", result, by, at });
    });

const acceptedResult = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  { issue, interaction }: OpenInteraction,
  { by, selectedClientKeys }: AcceptInteraction,
  at: Instant,
) {
  if (interaction.kind === "suggest_tasks")
    return yield* createTasks(stores, ids, {
      issue,
      payload: interaction.payload,
      selectedClientKeys,
      by,
      at,
    });
  if (selectedClientKeys !== undefined)
    yield* Effect.fail(
      new InteractionAnswerInvalid(
        { path: ["selectedClientKeys"] },
        "A confirmation has no tasks to choose from.",
      ),
    );
  const accepted: InteractionResult = { version: 1, outcome: "accepted" };
  return accepted;
});
