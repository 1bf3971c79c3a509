import type { InboxKind } from "../inbox/inbox-kind.ts";

/** The kinds of notices to a person. */
export const noticeKinds = [
  "decision",
  "mention",
  "followed",
  "run_failed",
  "budget",
  "sign_in",
  "digest",
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** The ways to reach a person. */
export const noticeChannels = ["push", "email", "chat"] as const;
export type NoticeChannelName = (typeof noticeChannels)[number];

/** The kind of the notice about an entry of the inbox. null: the digest alone mentions it. */
const kindOfEntry: Readonly<Record<InboxKind, NoticeKind | null>> = {
  approval: "decision",
  permission: "decision",
  confirmation: "decision",
  suggested_tasks: "decision",
  questions: "decision",
  review: "decision",
  assigned_issue: "followed",
  mention: "mention",
  watched_issue: "followed",
  budget_stop: "budget",
  budget_alert: "budget",
  failed_run: "run_failed",
  agent_error: "run_failed",
  held_run: "run_failed",
  held_agent: "run_failed",
  stalled_issue: "run_failed",
  stuck_work: "run_failed",
  needs_assignee: null,
  missed_ticks: null,
  unhealthy_vault: null,
  unsent_events: null,
  failed_backup: null,
  no_backup: null,
  failed_adapter: null,
};

export const noticeKindOf = (kind: InboxKind): NoticeKind | null => kindOfEntry[kind];
