import { approvalTypeLabels } from "../../nouns/approvals/approval-labels.ts";
import type { IconName } from "../../widgets/icon.tsx";
import type { Entry } from "./entry.ts";

interface Display {
  readonly icon: IconName;
  readonly tone?: "red" | "amber" | "violet";
  /** Of several: the heading of their group. */
  readonly label: string;
}

/**
 * Failures are red, what waits for a decision is amber, what is held is violet; news has no colour. In the order in which groups
 * are shown: programs and agents that wait come first.
 */
export const displays: Readonly<Record<Entry["kind"], Display>> = {
  permission: { icon: "shield-check", tone: "amber", label: "Permissions" },
  approval: { icon: "shield-check", tone: "amber", label: "Approvals" },
  questions: { icon: "circle-question-mark", tone: "amber", label: "Questions" },
  confirmation: { icon: "circle-check", tone: "amber", label: "Confirmations" },
  suggested_tasks: { icon: "list", tone: "amber", label: "Suggested tasks" },
  review: { icon: "eye", tone: "amber", label: "Reviews" },
  failed_adapter: { icon: "unplug", tone: "red", label: "Failed adapters" },
  failed_backup: { icon: "circle-alert", tone: "red", label: "Failed backups" },
  no_backup: { icon: "triangle-alert", tone: "amber", label: "No backups" },
  budget_stop: { icon: "wallet", tone: "red", label: "Budgets used up" },
  agent_error: { icon: "circle-alert", tone: "red", label: "Agents in error" },
  failed_run: { icon: "circle-x", tone: "red", label: "Failed runs" },
  unsent_events: { icon: "bell", tone: "red", label: "Events not sent" },
  unhealthy_vault: { icon: "key-round", tone: "red", label: "Vaults needing attention" },
  held_agent: { icon: "circle-pause", tone: "violet", label: "Agents on hold" },
  held_run: { icon: "circle-pause", tone: "violet", label: "Runs on hold" },
  needs_assignee: { icon: "user", tone: "amber", label: "Unassigned issues" },
  stuck_work: { icon: "hourglass", tone: "violet", label: "Sent back too often" },
  stalled_issue: { icon: "hourglass", tone: "violet", label: "Stalled issues" },
  missed_ticks: { icon: "calendar-clock", tone: "violet", label: "Missed runs" },
  budget_alert: { icon: "wallet", tone: "amber", label: "Budgets nearly used up" },
  assigned_issue: { icon: "user", label: "Assigned to you" },
  mention: { icon: "bell", label: "Mentions" },
  watched_issue: { icon: "bell", label: "News" },
};

export const kinds = Object.keys(displays) as readonly Entry["kind"][];

/** An approval whose payload names nothing has its type for a title. */
export const titleOf = ({ subject: { title } }: Entry): string =>
  (approvalTypeLabels as Readonly<Record<string, string>>)[title] ?? title;
