import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../../access/unit-of-work.ts";
import type { Actor } from "../../../model/access/caller.ts";
import {
  type Interaction,
  type InteractionEnd,
  resolve,
} from "../../../model/issues/interactions/interaction.ts";
import type { InteractionFacts } from "../../../model/issues/interactions/interaction-actions.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import type { Refusal } from "../../../model/shared/failure.ts";
import type { InteractionId, IssueId } from "../../../model/shared/ids.ts";
import { IssueWakes } from "../../../queue/issue-wakes.ts";

export interface InteractionCommand {
  readonly issueId: IssueId;
  readonly interactionId: InteractionId;
  readonly by: Actor;
}

/** A pending interaction with its issue; both are locked. */
export interface OpenInteraction {
  readonly issue: Issue;
  readonly interaction: Interaction;
}

/** Locks the issue and its interaction; refuses an end that the interaction does not allow. */
export const lockOpenInteraction = Effect.fnUntraced(function* <R extends Refusal>(
  unit: UnitOfWork,
  { issueId, interactionId }: InteractionCommand,
  refusalOf: (interaction: InteractionFacts, by: Actor) => R | null,
) {
  const issue = yield* unit.issues.lock(issueId);
  const interaction = yield* unit.interactions.lock(interactionId, issueId);
  const refusal = refusalOf(interaction, unit.by);
  if (refusal !== null) yield* Effect.fail(refusal);
  const open: OpenInteraction = { issue, interaction };
  return open;
});

/**
 * Stores how the interaction ended. Acceptance and answers wake the assignee once, if the interaction's policy allows it, or
 * its author if the issue is unassigned.
 */
export const endInteraction = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { issue, interaction }: OpenInteraction,
  end: Pick<InteractionEnd, "status" | "result">,
) {
  const ended = yield* Effect.fromResult(resolve(interaction, { ...end, by: unit.by, at: unit.at }));
  yield* unit.interactions.save(ended);
  yield* unit.issues.save({ ...issue, lastActivityAt: unit.at });
  yield* unit.log("issue.interaction_resolved", issue, {
    identifier: issue.identifier,
    interactionId: interaction.id,
    kind: interaction.kind,
    status: end.status,
  });
  const reason = continuationReasons[end.status];
  const hasAssignee = issue.assigneeAgentId !== null || issue.assigneeUserId !== null;
  const woken = hasAssignee ? issue.assigneeAgentId : interaction.createdByAgentId;
  if (reason === null || interaction.continuationPolicy === "none" || woken === null) return ended;
  const wakes = new IssueWakes(issue.companyId);
  wakes.add(woken, issue.id, reason, {
    interactionId: interaction.id,
    ...(hasAssignee ? {} : { asAuthor: true }),
  });
  yield* wakes.send(unit);
  return ended;
});

/** The wake reason for each end. */
const continuationReasons = {
  accepted: "issue_card_accepted",
  answered: "issue_card_answered",
  rejected: null,
  cancelled: null,
} as const;
