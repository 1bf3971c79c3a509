import * as Effect from "effect/Effect";
import type { PendingInteraction } from "../../../../ports/stores/interaction-store.ts";
import type { UnitOfWork } from "../../../access/unit-of-work.ts";
import { actingAgent } from "../../../model/access/caller.ts";
import { type Expiry, expiryResult } from "../../../model/issues/interactions/interaction.ts";
import type { DocumentId, IssueId } from "../../../model/shared/ids.ts";
import type { IssueWakes } from "../../../queue/issue-wakes.ts";

/** Expires the pending interactions of an issue, or those that refer to a document. */
export const expireInteractions = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  wakes: IssueWakes,
  of: { readonly issueId: IssueId } | { readonly documentId: DocumentId },
  end: InteractionsEnd,
) {
  yield* expire(unit, wakes, yield* unit.interactions.lockPending(of), end);
});

/** Interactions that a person's comment replaces; an agent's comment replaces none. */
export const interactionsEndedByComment = (
  { by, interactions }: UnitOfWork,
  issueId: IssueId,
): Effect.Effect<readonly PendingInteraction[]> =>
  by.kind === "board"
    ? interactions
        .lockPending({ issueId })
        .pipe(Effect.map((pending) => pending.filter(({ endsByComment }) => endsByComment)))
    : Effect.succeed([]);

interface InteractionsEnd {
  readonly reason: Expiry;
  /** Further fields of the result. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/**
 * Ends the interactions. Wakes the agent that waits for an interaction once, unless it ended the interaction itself or the issue is closed.
 */
export const expire = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  wakes: IssueWakes,
  interactions: readonly PendingInteraction[],
  { reason, more }: InteractionsEnd,
) {
  for (const interaction of interactions) {
    yield* unit.interactions.save({
      id: interaction.id,
      status: "expired",
      result: expiryResult(interaction.kind, reason, more),
      resolvedByAgentId: null,
      resolvedByUserId: null,
      resolvedAt: unit.at,
      updatedAt: unit.at,
    });
    yield* unit.log(
      "issue.interaction_expired",
      { companyId: interaction.companyId, id: interaction.issueId },
      { interactionId: interaction.id, kind: interaction.kind, reason },
    );
    const author = interaction.createdByAgentId;
    if (author !== null && author !== actingAgent(unit.by) && reason !== "issue_closed")
      wakes.add(author, interaction.issueId, "issue_card_expired", { interactionId: interaction.id });
  }
});
