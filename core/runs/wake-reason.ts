/** Everything that may wake an agent, in one place. */
export const wakeReasons = {
  heartbeat_timer: { source: "timer" },
  issue_assigned: { source: "assignment" },
  issue_checked_out: { source: "assignment" },
  issue_status_changed: { source: "automation" },
  issue_commented: { source: "automation" },
  issue_reopened_via_comment: { source: "automation" },
  issue_comment_mentioned: { source: "automation" },
  issue_blockers_resolved: { source: "automation" },
  issue_children_completed: { source: "automation" },
  issue_card_accepted: { source: "automation" },
  issue_card_answered: { source: "automation" },
  /** A run ended and left its issue in progress. Once per human action, then the issue counts as stalled. */
  issue_continuation_needed: { source: "automation" },
  /** The board decided what the agent had asked for. */
  approval_approved: { source: "automation" },
  approval_rejected: { source: "automation" },
  approval_revision_requested: { source: "automation" },
  agent_resumed: { source: "automation" },
  process_lost_retry: { source: "automation" },
  /** A provider's quota was used up in the middle of the work; the run waits until there is more. */
  provider_quota_recovery: { source: "automation" },
  /** Somebody pressed the button. */
  manual: { source: "on_demand" },
} as const satisfies Record<string, { source: WakeSource }>;

/**
 * What an agent is told after a hold, whatever state its issue is in by then: words and decisions that somebody waits to
 * be heard. Other wakes are made good where the issue can go on, and pointless where it cannot.
 */
export const outlivesHold = [
  "issue_commented",
  "issue_reopened_via_comment",
  "issue_comment_mentioned",
  "issue_blockers_resolved",
  "issue_children_completed",
  "issue_card_accepted",
  "issue_card_answered",
  "approval_approved",
  "approval_rejected",
  "approval_revision_requested",
] as const satisfies readonly WakeReason[];

export type WakeSource = "timer" | "assignment" | "on_demand" | "automation";
export type WakeReason = keyof typeof wakeReasons;
