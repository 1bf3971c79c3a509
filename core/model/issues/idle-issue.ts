import type { IssueStatus } from "./issue-status.ts";

/** The facts about an open issue of an agent, outside the backlog, for which no run works or is queued. */
export interface IdleFacts {
  readonly status: IssueStatus;
  /** It has an interaction that nobody has answered. */
  readonly waitsForAnswer: boolean;
  /** An open issue blocks it. */
  readonly isBlocked: boolean;
  readonly isHeldByProjectBudget: boolean;
  /** The verdict on its gates decides whether another run follows its last one. */
  readonly awaitsGates: boolean;
}

/** Why nobody works on an idle issue. */
export type IdleReason =
  | "waits_for_answer"
  | "in_review"
  | "blocked_by"
  | "marked_blocked"
  | "project_budget"
  | "gates_judged"
  | "stalled"
  | "not_woken";

/**
 * The only judgement of why nobody works on an issue whose assignee may work; a hold on the agent or its company explains all
 * of its issues and is judged earlier. The inbox selects by the same rule (`stalledIssues`); a test walks every combination
 * through both.
 */
export const judgeIdleIssue = (issue: IdleFacts): IdleReason => {
  if (issue.waitsForAnswer) return "waits_for_answer";
  if (issue.status === "in_review") return "in_review";
  if (issue.isBlocked) return "blocked_by";
  if (issue.status === "blocked") return "marked_blocked";
  if (issue.isHeldByProjectBudget) return "project_budget";
  if (issue.awaitsGates) return "gates_judged";
  return issue.status === "in_progress" ? "stalled" : "not_woken";
};

/** Whether an idle issue was left in progress and only a person's action can continue it. */
export const judgeStalled = (issue: IdleFacts): boolean => judgeIdleIssue(issue) === "stalled";
