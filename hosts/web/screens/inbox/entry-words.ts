import { approvalTypeWords } from "../../nouns/approvals/approval-words.ts";
import type { IconName } from "../../widgets/icon.tsx";
import type { Entry } from "./entry.ts";

interface Display {
  readonly icon: IconName;
  readonly tone?: "red" | "amber" | "violet";
  /** Of several: the heading of their group. */
  readonly words: string;
}

/**
 * Failures are red, what waits for a decision is amber, what is held is violet; news has no colour. In the order in which groups
 * are shown: programs and agents that wait come first.
 */
export const displays: Readonly<Record<Entry["kind"], Display>> = {
  permission: { icon: "shield-check", tone: "amber", words: "Permissions" },
  approval: { icon: "shield-check", tone: "amber", words: "Approvals" },
  questions: { icon: "circle-question-mark", tone: "amber", words: "Questions" },
  confirmation: { icon: "circle-check", tone: "amber", words: "Confirmations" },
  suggested_tasks: { icon: "list", tone: "amber", words: "Suggested tasks" },
  review: { icon: "eye", tone: "amber", words: "Reviews" },
  failed_adapter: { icon: "unplug", tone: "red", words: "Failed adapters" },
  failed_backup: { icon: "circle-alert", tone: "red", words: "Failed backups" },
  budget_stop: { icon: "wallet", tone: "red", words: "Budgets used up" },
  agent_error: { icon: "circle-alert", tone: "red", words: "Agents in error" },
  failed_run: { icon: "circle-x", tone: "red", words: "Failed runs" },
  unsent_events: { icon: "bell", tone: "red", words: "Events not sent" },
  unhealthy_vault: { icon: "key-round", tone: "red", words: "Vaults needing attention" },
  held_agent: { icon: "circle-pause", tone: "violet", words: "Agents on hold" },
  held_run: { icon: "circle-pause", tone: "violet", words: "Runs on hold" },
  needs_assignee: { icon: "user", tone: "amber", words: "Unassigned issues" },
  stuck_work: { icon: "hourglass", tone: "violet", words: "Sent back too often" },
  stalled_issue: { icon: "hourglass", tone: "violet", words: "Stalled issues" },
  missed_ticks: { icon: "calendar-clock", tone: "violet", words: "Missed runs" },
  budget_alert: { icon: "wallet", tone: "amber", words: "Budgets nearly used up" },
  assigned_issue: { icon: "user", words: "Assigned to you" },
  mention: { icon: "bell", words: "Mentions" },
  watched_issue: { icon: "bell", words: "News" },
};

export const kinds = Object.keys(displays) as readonly Entry["kind"][];

/** An approval whose payload names nothing has its type for a title. */
export const titleOf = ({ subject: { title } }: Entry): string =>
  (approvalTypeWords as Readonly<Record<string, string>>)[title] ?? title;
