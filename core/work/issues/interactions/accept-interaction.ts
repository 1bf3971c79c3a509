import * as Effect from "effect/Effect";
import { type UnitOfWork, useCase } from "../../../access/unit-of-work.ts";
import {
  InteractionAnswerInvalid,
  type InteractionResult,
} from "../../../model/issues/interactions/interaction.ts";
import { refusalOfDecision } from "../../../model/issues/interactions/interaction-actions.ts";
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
 * Accepts a confirmation, a permission request, or suggested tasks, whose issues it creates in the same transaction. Wakes the
 * assignee once.
 */
export const acceptInteraction = useCase(
  "issues.interactions.accept",
  function* (unit, command: AcceptInteraction) {
    const open = yield* lockOpenInteraction(unit, command, refusalOfDecision);
    const result = yield* acceptedResult(unit, open, command);
    return yield* endInteraction(unit, open, { status: "accepted", result });
  },
);

const acceptedResult = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { issue, interaction }: OpenInteraction,
  { selectedClientKeys }: AcceptInteraction,
) {
  if (interaction.kind === "suggest_tasks")
    return yield* createTasks(unit, { issue, payload: interaction.payload, selectedClientKeys });
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
