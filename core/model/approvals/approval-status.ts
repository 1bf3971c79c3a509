import type { Moves } from "../shared/moves.ts";

export const approvalStatuses = [
  "pending",
  "approved",
  "rejected",
  "revision_requested",
  "resubmitted",
] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** The stored statuses of approvals that are not decided. */
export const openApprovalStatuses = [
  "pending",
  "revision_requested",
] as const satisfies readonly ApprovalStatus[];

export const approvalMoves = {
  pending: { approved: "approve", rejected: "reject", revision_requested: "request-revision" },
  revision_requested: { resubmitted: "resubmit", rejected: "its draft agent is terminated" },
  resubmitted: { pending: "at once, in the same transaction" },
  approved: {},
  rejected: {},
} satisfies Moves<ApprovalStatus>;

/** The stored statuses; resubmitted is transient. */
export type StoredApprovalStatus = Exclude<ApprovalStatus, "resubmitted">;

export const decisions = ["approve", "reject", "request-revision"] as const;
export type Decision = (typeof decisions)[number];

/** The status after each decision. */
export const decided = {
  approve: "approved",
  reject: "rejected",
  "request-revision": "revision_requested",
} as const satisfies Record<Decision, StoredApprovalStatus>;
