import type { WakeReason } from "./wake-reason.ts";

/** Tells people why a run began; "it" is the agent. Apart from the rules of the reasons, which the board page doesn't need. */
export const wakeCauses = {
  heartbeat_timer: "Scheduled",
  issue_assigned: "Assigned to this issue",
  issue_checked_out: "Checked out for the agent",
  issue_status_changed: "Issue status changed",
  issue_commented: "New comment on the issue",
  issue_reopened_via_comment: "Reopened by a comment",
  issue_comment_mentioned: "Mentioned in a comment",
  run_message: "Message from a person",
  issue_blockers_resolved: "Blocking issues were closed",
  issue_merge_conflicted: "Merge conflict with the default branch",
  issue_feedback: "New feedback from checks or reviewers",
  issue_children_completed: "All sub-issues are closed",
  issue_card_accepted: "Request accepted",
  issue_card_answered: "Questions answered",
  issue_card_expired: "Request expired without an answer",
  issue_continuation_needed: "Continuing an issue left in progress",
  approval_approved: "Request approved",
  approval_rejected: "Request rejected",
  approval_revision_requested: "Changes requested",
  agent_resumed: "Agent resumed",
  process_lost_retry: "Retry after an interrupted run",
  provider_quota_recovery: "Provider quota available again",
  run_retried: "Retried by board",
  manual: "Woken manually",
} as const satisfies Readonly<Record<WakeReason, string>>;
