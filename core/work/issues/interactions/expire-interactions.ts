import * as Effect from "effect/Effect";
import type { PendingInteraction } from "../../../../ports/stores/interaction-store.ts";
import type { Stores } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import { type Actor, actingAgent } from "../../../model/access/caller.ts";
import { type Expiry, expiryResult } from "../../../model/issues/interactions/interaction.ts";
import type { DocumentId, IssueId } from "../../../model/shared/ids.ts";
import type { Instant } from "../../../model/shared/instant.ts";
import type { IssueWakes } from "../../../queue/issue-wakes.ts";

/** Expires the pending interactions of an issue, or those that refer to a document. */
export const expireInteractions = Effect.fnUntraced(function* (
  stores: Stores,
  wakes: IssueWakes,
  of: { readonly issueId: IssueId } | { readonly documentId: DocumentId },
  end: InteractionsEnd,
) {
  yield* expire(stores, wakes, yield* stores.interactions.lockPending(of), end);
});

/** Interactions that a person's comment replaces; an agent's comment replaces none. */
export const interactionsEndedByComment = (
  stores: Stores,
  issueId: IssueId,
  by: Actor,
): Effect.Effect<readonly PendingInteraction[]> =>
  by.kind === "board"
    ? stores.interactions
        .lockPending({ issueId })
        .pipe(Effect.map((interactions) => interactions.filter(({ endsByComment }) => endsByComment)))
    : Effect.succeed([]);

interface InteractionsEnd {
  readonly reason: Expiry;
  /** Further fields of the result. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly by: Actor;
  readonly at: Instant;
}

/**
 * Ends the interactions. Wakes the agent that waits for an interaction once, unless it ended the interaction itself or the issue is closed.
 */
export const expire = Effect.fnUntraced(function* (
  stores: Stores,
  wakes: IssueWakes,
  interactions: readonly PendingInteraction[],
  { reason, more, by, at }: InteractionsEnd,
) {
  for (const interaction of interactions) {
    yield* stores.interactions.save({
      id: interaction.id,
      status: "expired",
      result: expiryResult(interaction.kind, reason, more),
      resolvedByAgentId: null,
      resolvedByUserId: null,
      resolvedAt: at,
      updatedAt: at,
    });
    yield* logAction(
      stores,
      { companyId: interaction.companyId, id: interaction.issueId },
      by,
      at,
      "issue.interaction_expired",
      { interactionId: interaction.id, kind: interaction.kind, reason },
    );
    const author = interaction.createdByAgentId;
    if (author !== null && author !== actingAgent(by) && reason !== "issue_closed")
      wakes.add(author, interaction.issueId, "issue_card_expired", { interactionId: interaction.id });
  }
});
