import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { endCard, lockOpenCard, type TheCard } from "./end-card.ts";
import { type Answer, answerProblem, type InteractionResult, InteractionWrongKind } from "./interaction.ts";

export interface RespondToInteraction extends TheCard {
  readonly answers: readonly Answer[];
  readonly summaryMarkdown?: string | undefined;
}

/** Answers a card's questions, which accepts it. */
export const respondToInteraction =
  (transactor: Transactor, clock: Clock, ids: Ids) => (command: RespondToInteraction) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const open = yield* lockOpenCard(stores, command);
        const { card } = open;
        if (card.kind !== "ask_user_questions")
          return yield* Effect.fail(
            new InteractionWrongKind({ kind: card.kind }, "Only questions are responded to."),
          );
        const { answers, summaryMarkdown = null } = command;
        const problem = answerProblem(card.payload, answers);
        if (problem !== null) yield* Effect.fail(problem);
        const result: InteractionResult = { version: 1, answers, summaryMarkdown };
        return yield* endCard(stores, ids, open, {
          status: "answered",
          result,
          by: command.by,
          at: clock.now(),
        });
      }),
    );
