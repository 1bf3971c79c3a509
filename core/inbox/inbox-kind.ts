import type { Permission } from "../approvals/grant.ts";

/** What a person must be allowed to do before an entry waits for them. */
export type InboxRight = "operator" | "owner" | Permission;

/** What a person can do about an entry. Each is a call of the interface on the entry's subject, issue or agent. */
export type InboxAction =
  | "approve"
  | "request_revision"
  | "reject"
  | "accept"
  | "respond"
  | "raise_budget"
  | "retry"
  | "resume"
  | "comment"
  | "invoke"
  | "run_routine"
  | "activate_routine"
  | "check_health"
  | "reload_adapter";

/** What an entry is about: the noun of its subject's id. */
export type InboxSubject =
  | "approval"
  | "interaction"
  | "issue"
  | "run"
  | "agent"
  | "company"
  | "project"
  | "routine"
  | "vault"
  | "adapter";

interface InboxKindRule {
  readonly actions: readonly InboxAction[];
  /**
   * Whether a person may put the entry aside until it changes. What somebody waits for cannot be put aside: an agent
   * that asked is still waiting.
   */
  readonly dismissible: boolean;
}

/** Everything that waits for a person, with what they can do about it. The only list of kinds. */
export const inboxKinds = {
  approval: { actions: ["approve", "request_revision", "reject"], dismissible: false },
  confirmation: { actions: ["accept", "reject"], dismissible: false },
  suggested_tasks: { actions: ["accept", "reject"], dismissible: false },
  questions: { actions: ["respond", "reject"], dismissible: false },
  budget_stop: { actions: ["raise_budget"], dismissible: false },
  budget_alert: { actions: ["raise_budget"], dismissible: true },
  failed_run: { actions: ["retry", "comment"], dismissible: true },
  agent_error: { actions: ["resume", "invoke"], dismissible: true },
  held_run: { actions: ["comment", "invoke"], dismissible: false },
  stalled_issue: { actions: ["comment", "invoke"], dismissible: true },
  missed_ticks: { actions: ["run_routine"], dismissible: true },
  unhealthy_vault: { actions: ["check_health"], dismissible: true },
  failed_adapter: { actions: ["reload_adapter"], dismissible: false },
} as const satisfies Record<string, InboxKindRule>;

export type InboxKind = keyof typeof inboxKinds;

export const inboxKindNames = Object.keys(inboxKinds) as readonly InboxKind[];
