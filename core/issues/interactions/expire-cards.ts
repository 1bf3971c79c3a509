import * as Effect from "effect/Effect";
import type { PendingCard } from "../../../ports/stores/interaction-store.ts";
import type { Stores } from "../../../ports/transactor.ts";
import { type Actor, actingAgent } from "../../access/caller.ts";
import type { DocumentId, IssueId } from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";
import type { IssueWakes } from "../issue-wakes.ts";
import { type Expiry, expiryResult } from "./interaction.ts";

/** Expires the pending cards of an issue, or those that refer to a document. */
export const expireCards = Effect.fnUntraced(function* (
  stores: Stores,
  wakes: IssueWakes,
  of: { readonly issueId: IssueId } | { readonly documentId: DocumentId },
  end: CardsEnd,
) {
  yield* expire(stores, wakes, yield* stores.interactions.lockPending(of), end);
});

/** Cards that a person's comment replaces; an agent's comment replaces none. */
export const cardsEndedByComment = (
  stores: Stores,
  issueId: IssueId,
  by: Actor,
): Effect.Effect<readonly PendingCard[]> =>
  by.kind === "board"
    ? stores.interactions
        .lockPending({ issueId })
        .pipe(Effect.map((cards) => cards.filter(({ endsByComment }) => endsByComment)))
    : Effect.succeed([]);

interface CardsEnd {
  readonly reason: Expiry;
  /** Further fields of the result. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly by: Actor;
  readonly at: Instant;
}

/**
 * Ends the cards. Wakes the agent that waits for a card once, unless it ended the card itself or the issue is closed.
 */
export const expire = Effect.fnUntraced(function* (
  stores: Stores,
  wakes: IssueWakes,
  cards: readonly PendingCard[],
  { reason, more, by, at }: CardsEnd,
) {
  for (const card of cards) {
    yield* stores.interactions.save({
      id: card.id,
      status: "expired",
      result: expiryResult(card.kind, reason, more),
      resolvedByAgentId: null,
      resolvedByUserId: null,
      resolvedAt: at,
      updatedAt: at,
    });
    yield* stores.activity.append({
      companyId: card.companyId,
      by,
      at,
      action: "issue.interaction_expired",
      entityId: card.issueId,
      details: { interactionId: card.id, kind: card.kind, reason },
    });
    const author = card.createdByAgentId;
    if (author !== null && author !== actingAgent(by) && reason !== "issue_closed")
      wakes.add(author, card.issueId, "issue_card_expired", { interactionId: card.id });
  }
});
