import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { CodeStores } from "../../../../ports/code-stores.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { PendingInteraction } from "../../../../ports/stores/interaction-store.ts";
import type { Stores, Transactor } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import { transactAs } from "../../../access/transact-as.ts";
import type { Actor } from "../../../model/access/caller.ts";
import { snippetOf } from "../../../model/activity/activity-entry.ts";
import { newComment } from "../../../model/issues/comments/comment.ts";
import type { CommentLocation } from "../../../model/issues/comments/comment-location.ts";
import type { Mentionable } from "../../../model/issues/comments/mentions.ts";
import { wokenByComment } from "../../../model/issues/comments/woken-by-comment.ts";
import { type Issue, moveIssue } from "../../../model/issues/issue.ts";
import { isClosed } from "../../../model/issues/issue-status.ts";
import { NotAllowed } from "../../../model/shared/failure.ts";
import type { CommentId, IssueId } from "../../../model/shared/ids.ts";
import type { Instant } from "../../../model/shared/instant.ts";
import { IssueWakes } from "../../../queue/issue-wakes.ts";
import { expire, interactionsEndedByComment } from "../interactions/expire-interactions.ts";
import { type AskedLocation, findLocation } from "./find-location.ts";

/** A comment on the issue, or on lines of its changes. */
export interface AddComment extends AskedLocation {
  readonly id: CommentId;
  readonly issueId: IssueId;
  readonly by: Actor;
  readonly body: string;
  /** Reopens a closed issue; only the board may. */
  readonly reopen?: boolean | undefined;
}

export const addComment = (transactor: Transactor, clock: Clock, ids: Ids, codeStores: CodeStores) => {
  const find = findLocation(transactor, codeStores);
  const add = addAt(transactor, clock, ids);
  return (command: AddComment) =>
    find(command.issueId, command).pipe(Effect.flatMap((location) => add(command, location)));
};

const addAt =
  (transactor: Transactor, clock: Clock, ids: Ids) =>
  (command: AddComment, location: CommentLocation | null) =>
    transactAs(transactor, command.by, function* (stores) {
      const { by, body } = command;
      if (command.reopen && by.kind === "agent")
        yield* Effect.fail(new NotAllowed({ path: ["reopen"] }, "Only the board reopens an issue."));
      const [issue, interactions] = yield* Effect.all(
        [stores.issues.lock(command.issueId), interactionsEndedByComment(stores, command.issueId, by)],
        { concurrency: "unbounded" },
      );
      const mentionable = yield* mentionableFor(stores, issue, body);
      const at = clock.now();
      const reopened = command.reopen === true && isClosed(issue.status);
      const open = reopened ? yield* Effect.fromResult(moveIssue(issue, "todo", by, at)) : issue;
      yield* stores.issues.save({ ...open, lastActivityAt: at });
      if (reopened)
        yield* logAction(stores, issue, by, at, "issue.status_changed", {
          identifier: issue.identifier,
          from: issue.status,
          to: "todo",
        });
      const wakes = new IssueWakes(issue.companyId, by, at);
      const comment = yield* recordComment(stores, wakes, {
        issue: open,
        id: command.id,
        by,
        body,
        location,
        mentionable,
        interactions,
        reopened,
        at,
      });
      yield* wakes.send(stores, ids);
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
  readonly by: Actor;
  readonly body: string;
  readonly location?: CommentLocation | null;
  readonly mentionable: readonly Mentionable[];
  /** That it ends. */
  readonly interactions: readonly PendingInteraction[];
  readonly reopened: boolean;
  readonly at: Instant;
}

/** Writes the comment and collects its wakes: the assignee, where another caller writes, and the mentioned agents. */
export const recordComment = Effect.fnUntraced(function* (
  stores: Stores,
  wakes: IssueWakes,
  fresh: NewComment,
) {
  const { issue, by, at } = fresh;
  const comment = newComment(issue, fresh, by, at);
  yield* stores.comments.insert(comment);
  const { companyId, authorUserId: userId } = comment;
  if (userId !== null) yield* stores.watchers.see({ companyId, issueId: issue.id, userId, at, seenAt: at });
  yield* logAction(stores, issue, by, at, "issue.comment_added", {
    identifier: issue.identifier,
    commentId: comment.id,
    bodySnippet: snippetOf(fresh.body),
  });
  yield* expire(stores, wakes, fresh.interactions, {
    reason: "superseded_by_comment",
    more: { commentId: comment.id },
    by,
    at,
  });
  const woken = wokenByComment({ ...fresh, authorAgentId: comment.authorAgentId });
  for (const { agentId, reason } of woken) wakes.add(agentId, issue.id, reason, { commentId: comment.id });
  return comment;
});
