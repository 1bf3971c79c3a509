export type WakeSource = "timer" | "assignment" | "on_demand" | "automation";

/** What follows from a reason, wherever an agent is woken for it. */
interface WakeRule {
  readonly source: WakeSource;
  /** The wake concerns the agent as the assignee of an open issue; the gate refuses it once that is over. */
  readonly aboutOwnIssue: boolean;
  /**
   * The agent is told after a hold, whatever state its issue has by then: words and decisions that somebody expects it to
   * hear. Other wakes are made again where the issue can go on, and have no point where it cannot.
   */
  readonly outlivesHold: boolean;
  /** Only the service itself gives the reason, with the run that it tries again. */
  readonly isRetry: boolean;
  /** Tells the agent in its prompt why it runs. */
  readonly toAgent: string;
  /** Tells people why the run followed another one. */
  readonly toPeople: string;
}

const meanwhile = "What came in meanwhile is taken up";

/** Everything that may wake an agent, and all that differs by it. Nothing else lists reasons. */
export const wakeReasons = {
  heartbeat_timer: {
    source: "timer",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "Your timer fired.",
    toPeople: meanwhile,
  },
  issue_assigned: {
    source: "assignment",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "The issue was assigned to you.",
    toPeople: meanwhile,
  },
  issue_checked_out: {
    source: "assignment",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "The issue was checked out for you.",
    toPeople: meanwhile,
  },
  issue_status_changed: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "The issue's status changed.",
    toPeople: meanwhile,
  },
  issue_commented: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Somebody commented on your issue.",
    toPeople: meanwhile,
  },
  issue_reopened_via_comment: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Your issue was reopened.",
    toPeople: meanwhile,
  },
  issue_comment_mentioned: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "You were mentioned in a comment.",
    toPeople: meanwhile,
  },
  issue_blockers_resolved: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Everything the issue waited for is done.",
    toPeople: meanwhile,
  },
  issue_children_completed: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent: "All sub-issues of your issue are closed.",
    toPeople: meanwhile,
  },
  issue_card_accepted: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent: "The board accepted a card of yours (GET /api/issues/{id}/interactions).",
    toPeople: meanwhile,
  },
  issue_card_answered: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent: "The board answered your questions (GET /api/issues/{id}/interactions).",
    toPeople: meanwhile,
  },
  /** A run ended and left its issue in progress. Once per human action, then the issue counts as stalled. */
  issue_card_expired: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent:
      "A card of yours expired unanswered: a comment took its place, or what it asked about has changed.",
    toPeople: meanwhile,
  },
  issue_continuation_needed: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "Your last run left the issue in progress. Go on, or give it a clear status.",
    toPeople: "The issue was left in progress and is taken up once more",
  },
  /** The board decided what the agent had asked for. */
  approval_approved: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "What you asked the board for was approved.",
    toPeople: meanwhile,
  },
  approval_rejected: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "What you asked the board for was rejected.",
    toPeople: meanwhile,
  },
  approval_revision_requested: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "The board wants you to revise what you asked for.",
    toPeople: meanwhile,
  },
  agent_resumed: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "You were resumed.",
    toPeople: meanwhile,
  },
  process_lost_retry: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: true,
    toAgent: "Your last run was interrupted. Look at what it did and go on.",
    toPeople: "It is tried once more",
  },
  /** A provider's quota was used up in the middle of the work; the run waits until there is more. */
  provider_quota_recovery: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: true,
    toAgent: "Your last run used up what your provider allowed; there is more now. Go on.",
    toPeople: "It goes on when there is more quota",
  },
  /** Somebody invoked the agent. */
  manual: {
    source: "on_demand",
    aboutOwnIssue: false,
    outlivesHold: false,
    isRetry: false,
    toAgent: "Somebody invoked you.",
    toPeople: meanwhile,
  },
} as const satisfies Record<string, WakeRule>;

export type WakeReason = keyof typeof wakeReasons;

const all = Object.keys(wakeReasons) as WakeReason[];

/** Reasons that an agent is told of after a hold. */
export const reasonsThatOutliveHolds = all.filter((reason) => wakeReasons[reason].outlivesHold);

/** Reasons whose wake tries a run again. */
export const retryReasons = all.filter((reason) => wakeReasons[reason].isRetry);
