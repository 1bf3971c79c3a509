import * as Effect from "effect/Effect";
import type { PendingCard } from "../../../ports/stores/interaction-store.ts";
import type { Stores } from "../../../ports/transactor.ts";
import { type Actor, actingAgent } from "../../access/caller.ts";
import type { DocumentId, IssueId } from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";
import type { IssueWakes } from "../issue-wakes.ts";
import { type Expiry, expiryResult } from "./interaction.ts";

/** Ends pending cards that nobody resolved: those of an issue, or those that ask about a document. */
export const expireCards = Effect.fnUntraced(function* (
  stores: Stores,
  wakes: IssueWakes,
  of: { readonly issueId: IssueId } | { readonly documentId: DocumentId },
  end: CardsEnd,
) {
  yield* expire(stores, wakes, yield* stores.interactions.lockPending(of), end);
});

/** Cards whose answer a person's word takes the place of; an agent's takes the place of none. */
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
  /** What the result says besides. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly by: Actor;
  readonly at: Instant;
}

/**
 * Ends the cards. The agent that waits for the answer to a card is woken once, unless it ended the card itself, or the
 * issue is closed.
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
