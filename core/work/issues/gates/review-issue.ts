import * as Effect from "effect/Effect";
import { useCase } from "../../../access/unit-of-work.ts";
import { type Actor, actingAgent, actingUser } from "../../../model/access/caller.ts";
import { headsOf } from "../../../model/issues/gates/judge-gates.ts";
import {
  type Review,
  ReviewOutdated,
  type ReviewVerdict,
  refusalOfReview,
  sameCommits,
} from "../../../model/issues/gates/review.ts";
import type { IssueId } from "../../../model/shared/ids.ts";

export interface ReviewIssue {
  readonly issueId: IssueId;
  readonly by: Actor;
  readonly verdict: ReviewVerdict;
  /** The heads that were looked at. */
  readonly commits: readonly string[];
  readonly note?: string | null | undefined;
}

/** Stores the caller's review of an issue in place of its earlier one. It holds for these commits alone. */
export const reviewIssue = useCase("issues.review", function* (unit, command: ReviewIssue) {
  const { issueId, verdict, note = null } = command;
  const { by } = unit;
  const issue = yield* unit.issues.lock(issueId);
  const { id, companyId, identifier } = issue;
  const reviewers = yield* unit.gates.ofIssue(issue);
  const { work, workers } = yield* unit.gates.factsOf(issue);
  const refusal = refusalOfReview({ reviewers, workers, issue }, by);
  if (refusal !== null) return yield* Effect.fail(refusal);
  const commits = headsOf(work);
  if (!sameCommits([...new Set(command.commits)], commits))
    return yield* Effect.fail(new ReviewOutdated({ commits }));
  const { at } = unit;
  const review: Review = {
    issueId: id,
    companyId,
    agentId: actingAgent(by),
    userId: actingUser(by),
    verdict,
    note,
    commits,
    createdAt: at,
  };
  yield* unit.gates.putReview(review);
  yield* unit.log("issue.reviewed", issue, { identifier, verdict, commits });
  return review;
});
