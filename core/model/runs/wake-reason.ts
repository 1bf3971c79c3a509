export type WakeSource = "timer" | "assignment" | "on_demand" | "automation";

/** The consequences of a wake reason. */
interface WakeRule {
  readonly source: WakeSource;
  /** The wake concerns the agent as the assignee of an open issue; the gate refuses it once that is over. */
  readonly aboutOwnIssue: boolean;
  /**
   * The wake is repeated after a hold, whatever the state of its issue: comments and decisions that the agent must not miss.
   * Other wakes are repeated if the issue can continue, and dropped otherwise.
   */
  readonly outlivesHold: boolean;
  /** Only the service itself uses the reason, with the run that it retries. */
  readonly isRetry: boolean;
  /** Tells the agent in its prompt why it runs. */
  readonly toAgent: string;
  /** Tells people why the run followed another one. */
  readonly toPeople: string;
}

const meanwhile = "Continued in another run";

/** All wake reasons with everything that depends on them. The only list of reasons. */
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
    toAgent: "Your issue has a new comment.",
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
  run_message: {
    source: "on_demand",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "A person has sent you a message.",
    toPeople: meanwhile,
  },
  issue_blockers_resolved: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Everything that blocked the issue is done.",
    toPeople: meanwhile,
  },
  /** Its work cannot be merged in its present state. */
  issue_merge_conflicted: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent:
      "Your work conflicts with the default branch. Resolve the conflicts, then give the issue a clear status again.",
    toPeople: meanwhile,
  },
  /** New feedback from checks or reviewers, in a comment of the service. */
  issue_feedback: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Checks or reviewers responded to your work. See Boardroom's latest comments.",
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
    toAgent: "The board accepted an interaction of yours (GET /api/issues/{id}/interactions).",
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
  issue_card_expired: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent:
      "One of your interactions expired without an answer: it was replaced by a comment, or what it asked about has changed.",
    toPeople: meanwhile,
  },
  /** A run ended and left its issue in progress. Once per human action, then the issue counts as stalled. */
  issue_continuation_needed: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "Your last run left the issue in progress. Continue, or give it a clear status.",
    toPeople: "The issue was left in progress. Continued in another run",
  },
  /** The board decided a request of the agent. */
  approval_approved: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Your request to the board was approved.",
    toPeople: meanwhile,
  },
  approval_rejected: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Your request to the board was rejected.",
    toPeople: meanwhile,
  },
  approval_revision_requested: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "The board asked you to revise your request.",
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
    toAgent: "Your last run was interrupted. Check its results and continue.",
    toPeople: "Retried automatically",
  },
  /** A provider's quota was used up during the run; the next run waits for more. */
  provider_quota_recovery: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: true,
    toAgent: "Your last run used up your provider's quota; it is available again. Continue.",
    toPeople: "Continued when the provider's quota was available again",
  },
  /** A person retried a failed run. */
  run_retried: {
    source: "on_demand",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: true,
    toAgent: "Your last run failed, and the board retries it. Check its results and continue.",
    toPeople: "Retried by board",
  },
  /** A caller invoked the agent. */
  manual: {
    source: "on_demand",
    aboutOwnIssue: false,
    outlivesHold: false,
    isRetry: false,
    toAgent: "You were invoked.",
    toPeople: meanwhile,
  },
} as const satisfies Record<string, WakeRule>;

export type WakeReason = keyof typeof wakeReasons;

const all = Object.keys(wakeReasons) as WakeReason[];

/** The reasons that are repeated after a hold. */
export const reasonsThatOutliveHolds = all.filter((reason) => wakeReasons[reason].outlivesHold);

/** The reasons that concern an agent as the assignee of its issue. */
export const reasonsOfAssignees = all.filter((reason) => wakeReasons[reason].aboutOwnIssue);

/** The reasons whose wake retries a run. */
export const retryReasons = all.filter((reason) => wakeReasons[reason].isRetry);

/** The reasons whose payload names a comment that a person may have written. */
export const commentReasons = [
  "issue_commented",
  "issue_reopened_via_comment",
  "issue_comment_mentioned",
] as const satisfies readonly WakeReason[];
