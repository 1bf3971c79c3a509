import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { transact } from "../../../access/transact-as.ts";
import {
  type Answer,
  answerProblem,
  type InteractionResult,
} from "../../../model/issues/interactions/interaction.ts";
import { refusalOfAnswers } from "../../../model/issues/interactions/interaction-actions.ts";
import type { AskUserQuestions } from "../../../model/issues/interactions/payload.ts";
import { endInteraction, type InteractionCommand, lockOpenInteraction } from "./end-interaction.ts";

export interface RespondToInteraction extends InteractionCommand {
  readonly answers: readonly Answer[];
  readonly summaryMarkdown?: string | undefined;
}

/** Answers an interaction's questions, which accepts it. */
export const respondToInteraction =
  (transactor: Transactor, clock: Clock, ids: Ids) => (command: RespondToInteraction) =>
    transact(transactor, function* (stores) {
      const open = yield* lockOpenInteraction(stores, command, refusalOfAnswers);
      const { interaction } = open;
      const { answers, summaryMarkdown = null } = command;
      const problem = answerProblem(interaction.payload as AskUserQuestions, answers);
      if (problem !== null) yield* Effect.fail(problem);
      const result: InteractionResult = { version: 1, answers, summaryMarkdown };
      return yield* endInteraction(stores, ids, open, {
        status: "answered",
        result,
        by: command.by,
        at: clock.now(),
      });
    });
