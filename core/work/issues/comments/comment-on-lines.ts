import * as Effect from "effect/Effect";
import { transact, type UseCaseContext } from "../../../access/unit-of-work.ts";
import type { Actor } from "../../../model/access/caller.ts";
import type { Comment } from "../../../model/issues/comments/comment.ts";
import type { CommentLocation } from "../../../model/issues/comments/comment-location.ts";
import type { CommentId, IssueId } from "../../../model/shared/ids.ts";
import { IssueWakes } from "../../../queue/issue-wakes.ts";
import { interactionsEndedByComment } from "../interactions/expire-interactions.ts";
import { mentionableFor, recordComment } from "./add-comment.ts";
import type { AskedLocation, LineComments } from "./line-comments.ts";

interface CommentOfSeveral extends AskedLocation {
  readonly body: string;
}

export interface CommentOnLines {
  /** Of the first comment. */
  readonly id: CommentId;
  readonly issueId: IssueId;
  readonly by: Actor;
  /** At least one; one without a path is about the issue. */
  readonly comments: readonly CommentOfSeveral[];
}

type Located = readonly [body: string, location: CommentLocation | null];

/** Several reads of one repository at once are no faster. */
const readsAtOnce = 4;

/** Stores all comments of a review or none, so that each agent is woken once and reads them all; answers with the first. */
export const commentOnLines = (context: UseCaseContext, { find }: Pick<LineComments, "find">) => {
  const addAll = addAllAt(context);
  return (command: CommentOnLines) =>
    Effect.forEach(
      command.comments,
      ({ body, ...asked }) =>
        Effect.map(find(command.issueId, asked), (location): Located => [body, location]),
      { concurrency: readsAtOnce },
    ).pipe(Effect.flatMap((located) => addAll(command, located)));
};

const addAllAt =
  (context: UseCaseContext) =>
  ({ id, issueId, by }: CommentOnLines, located: readonly Located[]) =>
    transact(context, "issues.commentOnLines", by, function* (unit) {
      const [issue, interactions] = yield* Effect.all(
        [unit.issues.lock(issueId), interactionsEndedByComment(unit, issueId)],
        { concurrency: "unbounded" },
      );
      const mentionable = yield* mentionableFor(unit, issue, located.map(([body]) => body).join("\n"));
      yield* unit.issues.save({ ...issue, lastActivityAt: unit.at });
      const added: Comment[] = [];
      for (const [body, location] of located) {
        // Each has its wakes, which join one run: the agent's task names every comment.
        const wakes = new IssueWakes(issue.companyId);
        const isFirst = added.length === 0;
        const comment = yield* recordComment(unit, wakes, {
          issue,
          id: isFirst ? id : unit.newId<"comment">(),
          body,
          location,
          mentionable,
          interactions: isFirst ? interactions : [],
          reopened: false,
        });
        yield* wakes.send(unit);
        added.push(comment);
      }
      return added[0]!;
    });
