import * as Effect from "effect/Effect";
import { transact, type UnitOfWork, type UseCaseContext } from "../../../access/unit-of-work.ts";
import { type Actor, actingAgent, actingUser } from "../../../model/access/caller.ts";
import { headsOf } from "../../../model/issues/gates/judge-gates.ts";
import {
  type Review,
  ReviewOutdated,
  type ReviewVerdict,
  refusalOfReview,
  sameCommits,
} from "../../../model/issues/gates/review.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import type { CommentId, IssueId } from "../../../model/shared/ids.ts";
import { addFeedback } from "../comments/add-feedback.ts";
import type { LineComments } from "../comments/line-comments.ts";
import { type CommentOfSeveral, locateComments, recordComments } from "../comments/several-comments.ts";

export interface ReviewIssue {
  readonly issueId: IssueId;
  readonly by: Actor;
  readonly verdict: ReviewVerdict;
  /** The heads that were looked at. */
  readonly commits: readonly string[];
  readonly note?: string | null | undefined;
  readonly comments?: readonly CommentOfSeveral[] | undefined;
  /** Of the first comment. */
  readonly firstCommentId: CommentId;
}

/**
 * Stores the caller's review of an issue in place of its earlier one, together with its comments, or nothing. It holds for these
 * commits alone. A request for changes is a comment with the note, too: the agent is woken once, and reads it with the others.
 */
export const reviewIssue =
  (context: UseCaseContext, { find }: Pick<LineComments, "find">) =>
  (command: ReviewIssue) =>
    locateComments(find, command.issueId, command.comments ?? []).pipe(
      Effect.flatMap((located) =>
        transact(context, "issues.review", command.by, function* (unit) {
          const issue = yield* unit.issues.lock(command.issueId);
          const { review, reviewerName } = yield* judged(unit, issue, command);
          yield* unit.gates.putReview(review);
          const { verdict, commits, note } = review;
          yield* unit.log("issue.reviewed", issue, { identifier: issue.identifier, verdict, commits });
          const asksForChanges = verdict === "changes_requested";
          // The first comment has the id by which a repeated request is recognized.
          if (asksForChanges)
            yield* addFeedback(unit, {
              id: command.firstCommentId,
              issue,
              body: `${reviewerName ?? "The reviewer"} requested changes.${note === null ? "" : `\n\n${note}`}`,
              wakesAgent: true,
            });
          if (located.length > 0) {
            const firstId = asksForChanges ? unit.newId<"comment">() : command.firstCommentId;
            yield* recordComments(unit, issue, firstId, located);
          }
          return review;
        }),
      ),
    );

/** The review as it is stored with the name of its author, or why it is refused. */
const judged = Effect.fnUntraced(function* (unit: UnitOfWork, issue: Issue, command: ReviewIssue) {
  const { verdict, note = null } = command;
  const { by } = unit;
  const reviewers = yield* unit.gates.ofIssue(issue);
  const { work, workers } = yield* unit.gates.factsOf(issue);
  const refusal = refusalOfReview({ reviewers, workers, issue }, by);
  if (refusal !== null) return yield* Effect.fail(refusal);
  const commits = headsOf(work);
  if (!sameCommits([...new Set(command.commits)], commits))
    return yield* Effect.fail(new ReviewOutdated({ commits }));
  const review: Review = {
    issueId: issue.id,
    companyId: issue.companyId,
    agentId: actingAgent(by),
    userId: actingUser(by),
    verdict,
    note,
    commits,
    createdAt: unit.at,
  };
  const own = reviewers.find(
    ({ reviewerAgentId, reviewerUserId }) =>
      reviewerAgentId === review.agentId && reviewerUserId === review.userId,
  );
  return { review, reviewerName: own?.reviewerName ?? null };
});
