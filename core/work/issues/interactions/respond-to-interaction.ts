import * as Effect from "effect/Effect";
import { useCase } from "../../../access/unit-of-work.ts";
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
export const respondToInteraction = useCase(
  "issues.interactions.respond",
  function* (unit, command: RespondToInteraction) {
    const open = yield* lockOpenInteraction(unit, command, refusalOfAnswers);
    const { interaction } = open;
    const { answers, summaryMarkdown = null } = command;
    const problem = answerProblem(interaction.payload as AskUserQuestions, answers);
    if (problem !== null) yield* Effect.fail(problem);
    const result: InteractionResult = { version: 1, answers, summaryMarkdown };
    return yield* endInteraction(unit, open, { status: "answered", result });
  },
);
