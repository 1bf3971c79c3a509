import * as Effect from "effect/Effect";
import type { Ids } from "../../../ports/ids.ts";
import type { Stores } from "../../../ports/transactor.ts";
import type { Actor } from "../../access/caller.ts";
import type { InteractionId, IssueId } from "../../shared/ids.ts";
import type { Issue } from "../issue.ts";
import { IssueWakes } from "../issue-wakes.ts";
import { type CardEnd, type Interaction, refuseUnlessPending, resolve } from "./interaction.ts";

export interface TheCard {
  readonly issueId: IssueId;
  readonly interactionId: InteractionId;
  readonly by: Actor;
}

/** A pending card with its issue; both are locked. */
export interface OpenCard {
  readonly issue: Issue;
  readonly card: Interaction;
}

/** Locks the issue and its card; refuses a card that has ended. */
export const lockOpenCard = Effect.fnUntraced(function* (
  stores: Stores,
  { issueId, interactionId }: Pick<TheCard, "issueId" | "interactionId">,
) {
  const issue = yield* stores.issues.lock(issueId);
  const card = yield* stores.interactions.lock(interactionId, issueId);
  const late = refuseUnlessPending(card);
  if (late !== null) yield* Effect.fail(late);
  const open: OpenCard = { issue, card };
  return open;
});

/**
 * Stores how the card ended. Acceptance and answers wake the assignee once, where the card's policy allows it; the
 * card's author where the issue has no assignee.
 */
export const endCard = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  { issue, card }: OpenCard,
  { by, at, ...end }: CardEnd,
) {
  const ended = yield* Effect.fromResult(resolve(card, { ...end, by, at }));
  yield* stores.interactions.save(ended);
  yield* stores.issues.save({ ...issue, lastActivityAt: at });
  yield* stores.activity.append({
    companyId: issue.companyId,
    by,
    at,
    action: "issue.interaction_resolved",
    entityId: issue.id,
    details: {
      identifier: issue.identifier,
      interactionId: card.id,
      kind: card.kind,
      status: end.status,
    },
  });
  const reason = continuationReasons[end.status];
  const hasAssignee = issue.assigneeAgentId !== null || issue.assigneeUserId !== null;
  const woken = hasAssignee ? issue.assigneeAgentId : card.createdByAgentId;
  if (reason === null || card.continuationPolicy === "none" || woken === null) return ended;
  const wakes = new IssueWakes(issue.companyId, by, at);
  wakes.add(woken, issue.id, reason, { interactionId: card.id, ...(hasAssignee ? {} : { asAuthor: true }) });
  yield* wakes.send(stores, ids);
  return ended;
});

/** The wake reason for each end. */
const continuationReasons = {
  accepted: "issue_card_accepted",
  answered: "issue_card_answered",
  rejected: null,
  cancelled: null,
} as const;
