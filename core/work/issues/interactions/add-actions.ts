import * as Effect from "effect/Effect";
import type { Stores } from "../../../../ports/transactor.ts";
import type { InteractionView } from "../../../../ports/views/thread-views.ts";
import type { UseCaseContext } from "../../../access/unit-of-work.ts";
import type { AgentCaller, BoardCaller } from "../../../model/access/caller.ts";
import { interactionActions } from "../../../model/issues/interactions/interaction-actions.ts";
import type { SuggestTasks } from "../../../model/issues/interactions/payload.ts";
import type { Refusal } from "../../../model/shared/failure.ts";
import type { InteractionId } from "../../../model/shared/ids.ts";
import { refusalOfTasks } from "./create-tasks.ts";

/** Returns the interactions with the actions that the reader may take on each now. */
export const addActions = (context: UseCaseContext) =>
  Effect.fnUntraced(function* (interactions: readonly InteractionView[], caller: BoardCaller | AgentCaller) {
    const suggestions = interactions.filter(isOpenSuggestion);
    const refusals: ReadonlyMap<InteractionId, Refusal | null> =
      suggestions.length === 0
        ? new Map()
        : yield* context.transactor.transact((stores) => refusalsOf(stores, suggestions));
    return interactions.map((interaction) => ({
      ...interaction,
      callerMay: interactionActions(
        { ...interaction, acceptRefusal: refusals.get(interaction.id) ?? null },
        { ...interaction, caller },
      ),
    }));
  });

type Suggestion = InteractionView & { readonly kind: "suggest_tasks"; readonly payload: SuggestTasks };

const isOpenSuggestion = (interaction: InteractionView): interaction is Suggestion =>
  interaction.kind === "suggest_tasks" && interaction.status === "pending";

const refusalsOf = Effect.fnUntraced(function* (stores: Stores, suggestions: readonly Suggestion[]) {
  const refusals = new Map<InteractionId, Refusal | null>();
  for (const { id, issueId, payload } of suggestions) {
    const issue = yield* stores.issues.find(issueId).pipe(Effect.orDie);
    refusals.set(id, yield* refusalOfTasks(stores, { issue, payload }));
  }
  return refusals;
});
