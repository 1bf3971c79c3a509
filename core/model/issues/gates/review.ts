import { type Actor, type RunIdRequired, refusalWithoutRun } from "../../access/caller.ts";
import type { Gate } from "../../projects/gate.ts";
import { NotAllowed, refusal } from "../../shared/failure.ts";
import type { AgentId, CompanyId, IssueId, UserId } from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";
import { type IssueStatus, isClosed } from "../issue-status.ts";

export const reviewVerdicts = ["approved", "changes_requested"] as const;
export type ReviewVerdict = (typeof reviewVerdicts)[number];

/** The last review of an issue by an agent or a person. */
export interface Review {
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  /** One of them is null. */
  readonly agentId: AgentId | null;
  readonly userId: UserId | null;
  readonly verdict: ReviewVerdict;
  readonly note: string | null;
  /** The heads of the issue's branches that were looked at. */
  readonly commits: readonly string[];
  readonly createdAt: Instant;
}

/** Details: `commits`, the present heads. */
export class ReviewOutdated extends refusal(
  "review_outdated",
  "conflict",
  "The issue has commits that weren't reviewed. Review the ones in the details.",
) {}

/** The facts on which a review depends. */
export interface ReviewFacts {
  readonly reviewers: readonly Pick<Gate, "reviewerAgentId" | "reviewerUserId">[];
  /** The agents that left work on the issue. */
  readonly workers: readonly AgentId[];
  readonly issue: { readonly status: IssueStatus; readonly assigneeAgentId: AgentId | null };
}

/**
 * Returns why the caller cannot review the issue, or null: a gate must name the caller, and the work must be somebody else's.
 */
export const refusalOfReview = (
  { reviewers, workers, issue }: ReviewFacts,
  by: Actor,
): RunIdRequired | NotAllowed | null => {
  const refused = refusalWithoutRun(by);
  if (refused !== null) return refused;
  const isNamed = reviewers.some(
    ({ reviewerAgentId, reviewerUserId }) =>
      (by.kind === "agent" && reviewerAgentId === by.agentId) ||
      (by.kind === "board" && reviewerUserId === by.userId),
  );
  if (!isNamed) return new NotAllowed(undefined, "You aren't a reviewer of this issue.");
  if (by.kind === "agent" && (issue.assigneeAgentId === by.agentId || workers.includes(by.agentId)))
    return new NotAllowed(undefined, "Agents can't review their own work.");
  return isClosed(issue.status) ? new NotAllowed(undefined, "The issue is closed.") : null;
};

export const sameCommits = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((commit) => right.includes(commit));
