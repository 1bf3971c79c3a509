import type { Actor } from "../../access/caller.ts";
import { callerMayOf } from "../../access/caller-may.ts";
import { NotAllowed, type Refusal } from "../../shared/failure.ts";
import {
  type Interaction,
  InteractionWrongKind,
  type NotPending,
  refuseUnlessPending,
} from "./interaction.ts";

/** The facts on which the end of an interaction depends. */
export type InteractionFacts = Pick<Interaction, "id" | "kind" | "status" | "result" | "createdByAgentId">;

/** Returns why the interaction is not accepted or rejected, or null. */
export const refusalOfDecision = (interaction: InteractionFacts): NotPending | InteractionWrongKind | null =>
  refuseUnlessPending(interaction) ??
  (interaction.kind === "ask_user_questions"
    ? new InteractionWrongKind({ kind: interaction.kind }, "Use respond to answer questions.")
    : null);

/** Returns why the interaction takes no answers, or null. */
export const refusalOfAnswers = (interaction: InteractionFacts): NotPending | InteractionWrongKind | null =>
  refuseUnlessPending(interaction) ??
  (interaction.kind === "ask_user_questions"
    ? null
    : new InteractionWrongKind({ kind: interaction.kind }, "Only questions can be answered with respond."));

/** Returns why the interaction cannot be withdrawn, or null. */
export const refusalOfCancel = (interaction: InteractionFacts, by: Actor): NotPending | NotAllowed | null =>
  refuseUnlessPending(interaction) ??
  (by.kind === "agent" && interaction.createdByAgentId !== by.agentId
    ? new NotAllowed(undefined, "Agents can withdraw only their own interactions.")
    : null);

/** The facts on which the actions on an interaction depend. */
interface ActionFacts extends InteractionFacts {
  /** Why it cannot be accepted although it is pending; see `refusalOfTasks`. */
  readonly acceptRefusal: Refusal | null;
}

/** The actions that a reader may take on an interaction. */
export const interactionActions = callerMayOf<"interaction", ActionFacts>("interaction", {
  accept: (interaction) => refusalOfDecision(interaction) ?? interaction.acceptRefusal,
  reject: refusalOfDecision,
  respond: refusalOfAnswers,
  cancel: refusalOfCancel,
});
