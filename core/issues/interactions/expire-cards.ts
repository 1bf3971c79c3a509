import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import type { Actor } from "../../access/caller.ts";
import type { DocumentId, IssueId } from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";
import { type Expiry, expiryResult } from "./interaction.ts";

/** Ends pending cards that nobody resolved: those of an issue, or those that ask about a document. */
export const expireCards = Effect.fnUntraced(function* (
  stores: Stores,
  of: { readonly issueId: IssueId } | { readonly documentId: DocumentId },
  reason: Expiry,
  /** What the result says besides. */
  more: Readonly<Record<string, unknown>>,
  by: Actor,
  at: Instant,
) {
  for (const card of yield* stores.interactions.lockPending(of)) {
    if (reason === "superseded_by_comment" && !card.endsByComment) continue;
    yield* stores.interactions.save({
      ...card,
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
  }
});
