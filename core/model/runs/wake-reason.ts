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
  /** Tells people why the run began; "it" is the agent. */
  readonly cause: string;
}

const meanwhile = "What came in meanwhile is taken up";

/** All wake reasons with everything that depends on them. The only list of reasons. */
export const wakeReasons = {
  heartbeat_timer: {
    source: "timer",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "Your timer fired.",
    toPeople: meanwhile,
    cause: "Its timer fired",
  },
  issue_assigned: {
    source: "assignment",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "The issue was assigned to you.",
    toPeople: meanwhile,
    cause: "The issue was assigned to it",
  },
  issue_checked_out: {
    source: "assignment",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "The issue was checked out for you.",
    toPeople: meanwhile,
    cause: "The issue was checked out for it",
  },
  issue_status_changed: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "The issue's status changed.",
    toPeople: meanwhile,
    cause: "The status of its issue changed",
  },
  issue_commented: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Your issue has a new comment.",
    toPeople: meanwhile,
    cause: "Its issue has a new comment",
  },
  issue_reopened_via_comment: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Your issue was reopened.",
    toPeople: meanwhile,
    cause: "A comment reopened its issue",
  },
  issue_comment_mentioned: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "You were mentioned in a comment.",
    toPeople: meanwhile,
    cause: "A comment mentions it",
  },
  run_message: {
    source: "on_demand",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "A person has sent you a message.",
    toPeople: meanwhile,
    cause: "A person sent it a message",
  },
  issue_blockers_resolved: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Everything the issue waited for is done.",
    toPeople: meanwhile,
    cause: "What its issue waited for is done",
  },
  /** Its work cannot be merged in its present state. */
  issue_merge_conflicted: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent:
      "Your work conflicts with the default branch: bring the two together, and give the issue a clear status again.",
    toPeople: meanwhile,
    cause: "Its work conflicts with the default branch",
  },
  /** Checks or reviewers of its work have answered, in a comment of the service. */
  issue_feedback: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Checks or reviewers of your work have answered: the newest comments of Boardroom say what.",
    toPeople: meanwhile,
    cause: "Checks or reviewers of its work have answered",
  },
  issue_children_completed: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent: "All sub-issues of your issue are closed.",
    toPeople: meanwhile,
    cause: "All sub-issues of its issue are closed",
  },
  issue_card_accepted: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent: "The board accepted an interaction of yours (GET /api/issues/{id}/interactions).",
    toPeople: meanwhile,
    cause: "The board accepted its interaction",
  },
  issue_card_answered: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: true,
    isRetry: false,
    toAgent: "The board answered your questions (GET /api/issues/{id}/interactions).",
    toPeople: meanwhile,
    cause: "The board answered its questions",
  },
  issue_card_expired: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent:
      "An interaction of yours expired unanswered: a comment took its place, or what it asked about has changed.",
    toPeople: meanwhile,
    cause: "Its interaction expired unanswered",
  },
  /** A run ended and left its issue in progress. Once per human action, then the issue counts as stalled. */
  issue_continuation_needed: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "Your last run left the issue in progress. Continue, or give it a clear status.",
    toPeople: "The issue was left in progress and is taken up once more",
    cause: "Its last run left the issue in progress",
  },
  /** The board decided a request of the agent. */
  approval_approved: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Your request to the board was approved.",
    toPeople: meanwhile,
    cause: "The board approved its request",
  },
  approval_rejected: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "Your request to the board was rejected.",
    toPeople: meanwhile,
    cause: "The board rejected its request",
  },
  approval_revision_requested: {
    source: "automation",
    aboutOwnIssue: false,
    outlivesHold: true,
    isRetry: false,
    toAgent: "The board wants you to revise your request.",
    toPeople: meanwhile,
    cause: "The board asked it for changes",
  },
  agent_resumed: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: false,
    toAgent: "You were resumed.",
    toPeople: meanwhile,
    cause: "It was resumed",
  },
  process_lost_retry: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: true,
    toAgent: "Your last run was interrupted. Check its results and continue.",
    toPeople: "It is tried once more",
    cause: "Its last run was interrupted",
  },
  /** A provider's quota was used up during the run; the next run waits for more. */
  provider_quota_recovery: {
    source: "automation",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: true,
    toAgent: "Your last run used up your provider's quota; it is available again. Continue.",
    toPeople: "It continues with more quota",
    cause: "Its provider's quota is available again",
  },
  /** A person retried a failed run. */
  run_retried: {
    source: "on_demand",
    aboutOwnIssue: true,
    outlivesHold: false,
    isRetry: true,
    toAgent: "Your last run failed, and the board retries it. Check its results and continue.",
    toPeople: "The board had it tried again",
    cause: "The board retried a failed run",
  },
  /** A caller invoked the agent. */
  manual: {
    source: "on_demand",
    aboutOwnIssue: false,
    outlivesHold: false,
    isRetry: false,
    toAgent: "You were invoked.",
    toPeople: meanwhile,
    cause: "It was woken directly",
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
