import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../../access/unit-of-work.ts";
import type { Comment } from "../../../model/issues/comments/comment.ts";
import type { CommentLocation } from "../../../model/issues/comments/comment-location.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import { ValidationFailed } from "../../../model/shared/failure.ts";
import type { CommentId, IssueId } from "../../../model/shared/ids.ts";
import { IssueWakes } from "../../../queue/issue-wakes.ts";
import { interactionsEndedByComment } from "../interactions/expire-interactions.ts";
import { mentionableFor, recordComment } from "./add-comment.ts";
import type { AskedLocation, LineComments } from "./line-comments.ts";

/** One of several comments that are stored together; without a path it is about the issue. */
export interface CommentOfSeveral extends AskedLocation {
  readonly body: string;
}

export type LocatedComment = readonly [body: string, location: CommentLocation | null];

/** Several reads of one repository at once are no faster. */
const readsAtOnce = 4;

interface FieldFault {
  readonly path: readonly PropertyKey[];
}

/** The refusal with the paths of its fields in the request. */
const inComment = (at: number, { details, message }: ValidationFailed): ValidationFailed =>
  new ValidationFailed(
    (details as readonly FieldFault[]).map(({ path, ...fault }) => ({
      ...fault,
      path: ["comments", at, ...path],
    })),
    message,
  );

/** Reads the lines of all comments, before the transaction. A refusal names the comment by its index: `comments.2.line`. */
export const locateComments = (
  find: LineComments["find"],
  issueId: IssueId,
  comments: readonly CommentOfSeveral[],
) =>
  Effect.forEach(
    comments,
    ({ body, ...asked }, at) =>
      find(issueId, asked).pipe(
        Effect.map((location): LocatedComment => [body, location]),
        Effect.mapError((refusal) =>
          refusal instanceof ValidationFailed ? inComment(at, refusal) : refusal,
        ),
      ),
    { concurrency: readsAtOnce },
  );

/** Stores all comments on a locked issue, so that each agent is woken once and reads them all. */
export const recordComments = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  issue: Issue,
  firstId: CommentId,
  located: readonly LocatedComment[],
) {
  const [interactions, mentionable] = yield* Effect.all(
    [
      interactionsEndedByComment(unit, issue.id),
      mentionableFor(unit, issue, located.map(([body]) => body).join("\n")),
    ],
    { concurrency: "unbounded" },
  );
  yield* unit.issues.save({ ...issue, lastActivityAt: unit.at });
  const added: Comment[] = [];
  for (const [body, location] of located) {
    // Each has its wakes, which join one run: the agent's task names every comment.
    const wakes = new IssueWakes(issue.companyId);
    const isFirst = added.length === 0;
    const comment = yield* recordComment(unit, wakes, {
      issue,
      id: isFirst ? firstId : unit.newId<"comment">(),
      body,
      location,
      mentionable,
      interactions: isFirst ? interactions : [],
      reopened: false,
    });
    yield* wakes.send(unit);
    added.push(comment);
  }
  return added;
});
