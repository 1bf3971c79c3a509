import type { Permission } from "../approvals/grant.ts";

/** The right that a person needs to see an entry. */
export type InboxRight = "viewer" | "operator" | "owner" | Permission;

/** All actions on entries: a call of the API on the entry's subject, issue or agent. */
export const inboxActions = [
  "approve",
  "request_revision",
  "reject",
  "accept",
  "respond",
  "raise_budget",
  "retry",
  "resume",
  "comment",
  "invoke",
  "run_routine",
  "finish",
  "send_back",
  "reassign",
  "unwatch",
  "check_health",
  "reload_adapter",
] as const;
export type InboxAction = (typeof inboxActions)[number];

/** The types of subjects of entries. */
export const inboxSubjects = [
  "approval",
  "interaction",
  "issue",
  "run",
  "agent",
  "company",
  "project",
  "routine",
  "vault",
  "event_subscription",
  "adapter",
  "backup",
] as const;
export type InboxSubject = (typeof inboxSubjects)[number];

interface InboxKindRule {
  readonly actions: readonly InboxAction[];
  /**
   * Whether a person may dismiss the entry until it changes. Requests cannot be dismissed: an agent waits for the
   * decision.
   */
  readonly dismissible: boolean;
  /** It tells what happened, and asks for nothing: a badge does not count it. */
  readonly isNews?: true;
}

/** All kinds of entries, with what people can do about them. The only list of kinds. */
export const inboxKinds = {
  approval: { actions: ["approve", "request_revision", "reject"], dismissible: false },
  permission: { actions: ["accept", "reject"], dismissible: false },
  confirmation: { actions: ["accept", "reject"], dismissible: false },
  suggested_tasks: { actions: ["accept", "reject"], dismissible: false },
  questions: { actions: ["respond"], dismissible: false },
  review: { actions: ["finish", "send_back", "comment"], dismissible: false },
  assigned_issue: { actions: ["comment", "reassign"], dismissible: true },
  mention: { actions: ["comment"], dismissible: true, isNews: true },
  watched_issue: { actions: ["comment", "unwatch"], dismissible: true, isNews: true },
  budget_stop: { actions: ["raise_budget"], dismissible: false },
  budget_alert: { actions: ["raise_budget"], dismissible: true },
  failed_run: { actions: ["retry", "comment"], dismissible: true },
  agent_error: { actions: ["resume", "invoke"], dismissible: true },
  held_run: { actions: ["comment", "invoke"], dismissible: false },
  held_agent: { actions: ["invoke"], dismissible: false },
  stalled_issue: { actions: ["comment", "invoke"], dismissible: true },
  /** Checks or reviewers have rejected the work too often. */
  stuck_work: { actions: ["comment", "reassign"], dismissible: true },
  needs_assignee: { actions: ["reassign", "comment"], dismissible: true },
  missed_ticks: { actions: ["run_routine"], dismissible: true },
  unhealthy_vault: { actions: ["check_health"], dismissible: true },
  /** Its receiver failed for a day, or is gone. */
  unsent_events: { actions: [], dismissible: true },
  failed_backup: { actions: [], dismissible: false },
  /** None are scheduled, and the last one is old or missing. */
  no_backup: { actions: [], dismissible: false },
  failed_adapter: { actions: ["reload_adapter"], dismissible: false },
} as const satisfies Record<string, InboxKindRule>;

export type InboxKind = keyof typeof inboxKinds;

export const inboxKindNames = Object.keys(inboxKinds) as readonly InboxKind[];

/** The kinds that ask for nothing. */
export const newsKinds = inboxKindNames.filter((kind) => (inboxKinds[kind] as InboxKindRule).isNews === true);
