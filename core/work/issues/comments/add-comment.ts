import * as Effect from "effect/Effect";
import type { PendingInteraction } from "../../../../ports/stores/interaction-store.ts";
import type { Stores } from "../../../../ports/transactor.ts";
import { transact, type UnitOfWork, type UseCaseContext } from "../../../access/unit-of-work.ts";
import type { Actor } from "../../../model/access/caller.ts";
import { snippetOf } from "../../../model/activity/activity-entry.ts";
import { newComment } from "../../../model/issues/comments/comment.ts";
import type { CommentLocation } from "../../../model/issues/comments/comment-location.ts";
import { type Mentionable, mentionedAgents } from "../../../model/issues/comments/mentions.ts";
import { wokenByComment } from "../../../model/issues/comments/woken-by-comment.ts";
import { type Issue, moveIssue } from "../../../model/issues/issue.ts";
import { isClosed } from "../../../model/issues/issue-status.ts";
import { NotAllowed } from "../../../model/shared/failure.ts";
import type { AgentId, CommentId, IssueId, UserId } from "../../../model/shared/ids.ts";
import { IssueWakes } from "../../../queue/issue-wakes.ts";
import { expire, interactionsEndedByComment } from "../interactions/expire-interactions.ts";
import type { AskedLocation, LineComments } from "./line-comments.ts";

/** A comment on the issue, or on lines of its changes. */
export interface AddComment extends AskedLocation {
  readonly id: CommentId;
  readonly issueId: IssueId;
  readonly by: Actor;
  readonly body: string;
  /** Reopens a closed issue; only the board may. */
  readonly reopen?: boolean | undefined;
}

export const addComment = (context: UseCaseContext, { find }: Pick<LineComments, "find">) => {
  const add = addAt(context);
  return (command: AddComment) =>
    find(command.issueId, command).pipe(Effect.flatMap((location) => add(command, location)));
};

const addAt = (context: UseCaseContext) => (command: AddComment, location: CommentLocation | null) =>
  transact(context, "issues.addComment", command.by, function* (unit) {
    const { body } = command;
    if (command.reopen && unit.by.kind === "agent")
      yield* Effect.fail(new NotAllowed({ path: ["reopen"] }, "Only the board can reopen an issue."));
    const [issue, interactions] = yield* Effect.all(
      [unit.issues.lock(command.issueId), interactionsEndedByComment(unit, command.issueId)],
      { concurrency: "unbounded" },
    );
    const mentionable = yield* mentionableFor(unit, issue, body);
    const reopened = command.reopen === true && isClosed(issue.status);
    const open = reopened ? yield* Effect.fromResult(moveIssue(issue, "todo", unit.by, unit.at)) : issue;
    yield* unit.issues.save({ ...open, lastActivityAt: unit.at });
    if (reopened)
      yield* unit.log("issue.status_changed", issue, {
        identifier: issue.identifier,
        from: issue.status,
        to: "todo",
      });
    const wakes = new IssueWakes(issue.companyId);
    const comment = yield* recordComment(unit, wakes, {
      issue: open,
      id: command.id,
      body,
      location,
      mentionable,
      interactions,
      reopened,
    });
    yield* wakes.send(unit);
    return comment;
  });

/** Reads the agents that a text may mention; none where it contains no sign of a mention. */
export const mentionableFor = (
  stores: Stores,
  issue: Pick<Issue, "companyId">,
  body: string | undefined,
): Effect.Effect<readonly Mentionable[]> =>
  body !== undefined && /@|agent:\/\//i.test(body)
    ? stores.agents.mentionable(issue.companyId)
    : Effect.succeed([]);

interface NewComment {
  /** The issue after the other changes of the request. */
  readonly issue: Issue;
  readonly id: CommentId;
  readonly body: string;
  readonly location?: CommentLocation | null;
  readonly mentionable: readonly Mentionable[];
  /** That it ends. */
  readonly interactions: readonly PendingInteraction[];
  readonly reopened: boolean;
}

/** The people whom a comment names, but not its author. Longer names of agents win. */
const peopleMentioned = (
  stores: Stores,
  { issue, body, mentionable }: NewComment,
  author: UserId | null,
): Effect.Effect<readonly UserId[]> =>
  body.includes("@")
    ? Effect.map(stores.access.mentionable(issue.companyId), (people) => {
        const named = mentionedAgents<AgentId | UserId>(body, [...mentionable, ...people]);
        return people.map(({ id }) => id).filter((id) => id !== author && named.includes(id));
      })
    : Effect.succeed([]);

/** Writes the comment and collects its wakes: the assignee, where another caller writes, and the mentioned agents. */
export const recordComment = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  wakes: IssueWakes,
  fresh: NewComment,
) {
  const { by, at } = unit;
  const { issue } = fresh;
  const comment = newComment(issue, fresh, by, at);
  yield* unit.comments.insert(comment);
  const { companyId, authorUserId: userId } = comment;
  if (userId !== null) yield* unit.watchers.see({ companyId, issueId: issue.id, userId, at, seenAt: at });
  yield* unit.watchers.mention(
    { companyId, issueId: issue.id, at },
    yield* peopleMentioned(unit, fresh, userId),
  );
  yield* unit.log("issue.comment_added", issue, {
    identifier: issue.identifier,
    commentId: comment.id,
    bodySnippet: snippetOf(fresh.body),
  });
  yield* expire(unit, wakes, fresh.interactions, {
    reason: "superseded_by_comment",
    more: { commentId: comment.id },
  });
  const woken = wokenByComment({ ...fresh, authorAgentId: comment.authorAgentId });
  for (const { agentId, reason } of woken) wakes.add(agentId, issue.id, reason, { commentId: comment.id });
  return comment;
});
