import * as Effect from "effect/Effect";
import { transact, type UseCaseContext } from "../../../access/unit-of-work.ts";
import type { Actor } from "../../../model/access/caller.ts";
import type { CommentId, IssueId } from "../../../model/shared/ids.ts";
import type { LineComments } from "./line-comments.ts";
import { type CommentOfSeveral, locateComments, recordComments } from "./several-comments.ts";

export interface CommentOnLines {
  /** Of the first comment. */
  readonly id: CommentId;
  readonly issueId: IssueId;
  readonly by: Actor;
  /** At least one. */
  readonly comments: readonly CommentOfSeveral[];
}

/** Stores several comments or none; answers with the first. `reviewIssue` does so with a verdict. */
export const commentOnLines =
  (context: UseCaseContext, { find }: Pick<LineComments, "find">) =>
  ({ id, issueId, by, comments }: CommentOnLines) =>
    locateComments(find, issueId, comments).pipe(
      Effect.flatMap((located) =>
        transact(context, "issues.commentOnLines", by, function* (unit) {
          const issue = yield* unit.issues.lock(issueId);
          const [first] = yield* recordComments(unit, issue, id, located);
          return first!;
        }),
      ),
    );
