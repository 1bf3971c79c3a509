import type { AgentStatus } from "../../../core/model/agents/agent-status.ts";
import type { DoneAs } from "../../../core/model/issues/done-as.ts";
import type { IssueStatus, Priority } from "../../../core/model/issues/issue-status.ts";
import type { RunStatus } from "../../../core/model/runs/run-status.ts";
import { Icon, type IconName } from "../widgets/icon.tsx";

type Tone = "grey" | "accent" | "amber" | "green" | "red" | "violet";

interface Display {
  readonly word: string;
  readonly icon: IconName;
  readonly tone: Tone;
  /** Only running work moves. */
  readonly moves?: boolean;
}

const issue: Record<IssueStatus, Display> = {
  backlog: { word: "Backlog", icon: "circle-dashed", tone: "grey" },
  todo: { word: "To do", icon: "circle", tone: "grey" },
  in_progress: { word: "In progress", icon: "circle-dot", tone: "accent" },
  in_review: { word: "In review", icon: "eye", tone: "amber" },
  blocked: { word: "Blocked", icon: "ban", tone: "violet" },
  done: { word: "Done", icon: "circle-check", tone: "green" },
  cancelled: { word: "Cancelled", icon: "circle-slash", tone: "grey" },
};

const done: Record<DoneAs, Display> = {
  verified: { word: "Verified done", icon: "shield-check", tone: "green" },
  reported: { word: "Completed", icon: "circle-check", tone: "amber" },
};

/** How an issue that is done became so, where its project has gates; otherwise its status. */
export const issueStatusShown = (issue: {
  readonly status: IssueStatus;
  readonly doneAs: DoneAs | null;
}): IssueStatus | DoneAs => (issue.status === "done" && issue.doneAs !== null ? issue.doneAs : issue.status);

/** A run that waits for a person is running, too. */
export type ShownRunStatus = RunStatus | "waits";

const run: Record<ShownRunStatus, Display> = {
  waits: { word: "Needs your answer", icon: "hourglass", tone: "amber" },
  queued: { word: "Queued", icon: "hourglass", tone: "grey" },
  running: { word: "Running", icon: "loader-circle", tone: "accent", moves: true },
  succeeded: { word: "Succeeded", icon: "circle-check", tone: "green" },
  failed: { word: "Failed", icon: "circle-x", tone: "red" },
  timed_out: { word: "Timed out", icon: "timer", tone: "red" },
  cancelled: { word: "Cancelled", icon: "circle-slash", tone: "grey" },
  interrupted: { word: "Interrupted", icon: "unplug", tone: "red" },
};

const agent: Record<AgentStatus, Display> = {
  idle: { word: "Idle", icon: "circle", tone: "grey" },
  running: { word: "Running", icon: "loader-circle", tone: "accent", moves: true },
  error: { word: "Error", icon: "circle-alert", tone: "red" },
  paused: { word: "Paused", icon: "circle-pause", tone: "violet" },
  pending_approval: { word: "Pending approval", icon: "hourglass", tone: "amber" },
  terminated: { word: "Terminated", icon: "ban", tone: "grey" },
};

/** Everything else with a status: approvals, interactions, companies, routines, routine runs, secrets, vaults, health. */
const other: Readonly<Record<string, Display>> = {
  pending: { word: "Pending", icon: "hourglass", tone: "amber" },
  revision_requested: { word: "Changes requested", icon: "pencil", tone: "amber" },
  resubmitted: { word: "Resubmitted", icon: "hourglass", tone: "amber" },
  approved: { word: "Approved", icon: "circle-check", tone: "green" },
  rejected: { word: "Rejected", icon: "circle-x", tone: "red" },
  accepted: { word: "Accepted", icon: "circle-check", tone: "green" },
  answered: { word: "Answered", icon: "circle-check", tone: "green" },
  expired: { word: "Expired", icon: "circle-slash", tone: "grey" },
  cancelled: { word: "Cancelled", icon: "circle-slash", tone: "grey" },
  active: { word: "Active", icon: "circle-check", tone: "green" },
  paused: { word: "Paused", icon: "circle-pause", tone: "violet" },
  archived: { word: "Archived", icon: "archive", tone: "grey" },
  disabled: { word: "Disabled", icon: "ban", tone: "grey" },
  planned: { word: "Planned", icon: "circle-dashed", tone: "grey" },
  in_progress: { word: "In progress", icon: "circle-dot", tone: "accent" },
  completed: { word: "Completed", icon: "circle-check", tone: "green" },
  achieved: { word: "Achieved", icon: "circle-check", tone: "green" },
  received: { word: "Received", icon: "inbox", tone: "grey" },
  issue_created: { word: "Issue created", icon: "circle-dot", tone: "accent" },
  coalesced: { word: "Joined another run", icon: "git-branch", tone: "grey" },
  skipped: { word: "Skipped", icon: "skip-forward", tone: "grey" },
  failed: { word: "Failed", icon: "circle-x", tone: "red" },
  ready: { word: "Ready", icon: "circle-check", tone: "green" },
  unknown: { word: "Not checked", icon: "circle-question-mark", tone: "grey" },
  error: { word: "Error", icon: "circle-alert", tone: "red" },
  degraded: { word: "Degraded", icon: "triangle-alert", tone: "amber" },
  warning: { word: "Needs attention", icon: "triangle-alert", tone: "amber" },
  coming_soon: { word: "Coming soon", icon: "hourglass", tone: "grey" },
  current: { word: "Current", icon: "circle-check", tone: "green" },
  previous: { word: "Previous", icon: "circle", tone: "grey" },
  ok: { word: "Working", icon: "circle-check", tone: "green" },
};

const displays = { issue: { ...issue, ...done }, run, agent, other } as const;

type StatusProps =
  | { readonly of: "issue"; readonly status: IssueStatus | DoneAs; readonly bare?: boolean }
  | { readonly of: "run"; readonly status: ShownRunStatus; readonly bare?: boolean }
  | { readonly of: "agent"; readonly status: AgentStatus; readonly bare?: boolean }
  | { readonly of: "other"; readonly status: string; readonly bare?: boolean };

export const displayOf = (of: StatusProps["of"], status: string): Display =>
  (displays[of] as Readonly<Record<string, Display>>)[status] ?? {
    word: status.replaceAll("_", " "),
    icon: "circle",
    tone: "grey",
  };

export const runStatusShown = (run: {
  readonly status: RunStatus;
  readonly waitsForPersonSince: string | null;
}): ShownRunStatus => (run.waitsForPersonSince === null ? run.status : "waits");

/** A status by icon, word and colour. `bare` leaves the word to readers and to the hover, for narrow rows. */
export const Status = ({ of, status, bare = false }: StatusProps) => {
  const { word, icon, tone, moves } = displayOf(of, status);
  return (
    <span className={`status ${tone}${moves ? " moves" : ""}`} title={bare ? word : undefined}>
      <Icon name={icon} />
      <span className={bare ? "only-read" : undefined}>{word}</span>
    </span>
  );
};

export const priorityDisplays: Record<Priority, Display> = {
  critical: { word: "Critical", icon: "octagon-alert", tone: "red" },
  high: { word: "High", icon: "signal-high", tone: "amber" },
  medium: { word: "Medium", icon: "signal-medium", tone: "grey" },
  low: { word: "Low", icon: "signal-low", tone: "grey" },
};

export const PriorityMark = ({
  priority,
  bare = false,
}: {
  readonly priority: Priority;
  readonly bare?: boolean;
}) => {
  const { word, icon, tone } = priorityDisplays[priority];
  return (
    <span className={`status ${tone}`} title={bare ? `${word} priority` : undefined}>
      <Icon name={icon} />
      <span className={bare ? "only-read" : undefined}>{bare ? `${word} priority` : word}</span>
    </span>
  );
};
