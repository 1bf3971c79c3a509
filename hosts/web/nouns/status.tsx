import type { AgentStatus } from "../../../core/model/agents/agent-status.ts";
import type { DoneAs } from "../../../core/model/issues/done-as.ts";
import type { IssueStatus, Priority } from "../../../core/model/issues/issue-status.ts";
import type { RunStatus } from "../../../core/model/runs/run-status.ts";
import { Icon, type IconName } from "../widgets/icon.tsx";

type Tone = "grey" | "accent" | "amber" | "green" | "red" | "violet";

interface Display {
  readonly label: string;
  readonly icon: IconName;
  readonly tone: Tone;
  /** Only running work moves. */
  readonly moves?: boolean;
}

const issue: Record<IssueStatus, Display> = {
  backlog: { label: "Backlog", icon: "circle-dashed", tone: "grey" },
  todo: { label: "To do", icon: "circle", tone: "grey" },
  in_progress: { label: "In progress", icon: "circle-dot", tone: "accent" },
  in_review: { label: "In review", icon: "eye", tone: "amber" },
  blocked: { label: "Blocked", icon: "ban", tone: "violet" },
  done: { label: "Done", icon: "circle-check", tone: "green" },
  cancelled: { label: "Cancelled", icon: "circle-slash", tone: "grey" },
};

const done: Record<DoneAs, Display> = {
  verified: { label: "Verified done", icon: "shield-check", tone: "green" },
  reported: { label: "Completed", icon: "circle-check", tone: "amber" },
};

/** How an issue that is done became so, where its project has gates; otherwise its status. */
export const issueStatusShown = (issue: {
  readonly status: IssueStatus;
  readonly doneAs: DoneAs | null;
}): IssueStatus | DoneAs => (issue.status === "done" && issue.doneAs !== null ? issue.doneAs : issue.status);

/** A run that waits for a person is running, too. */
export type ShownRunStatus = RunStatus | "waits";

const run: Record<ShownRunStatus, Display> = {
  waits: { label: "Needs your answer", icon: "hourglass", tone: "amber" },
  queued: { label: "Queued", icon: "hourglass", tone: "grey" },
  running: { label: "Running", icon: "loader-circle", tone: "accent", moves: true },
  succeeded: { label: "Succeeded", icon: "circle-check", tone: "green" },
  failed: { label: "Failed", icon: "circle-x", tone: "red" },
  timed_out: { label: "Timed out", icon: "timer", tone: "red" },
  cancelled: { label: "Cancelled", icon: "circle-slash", tone: "grey" },
  interrupted: { label: "Interrupted", icon: "unplug", tone: "red" },
};

const agent: Record<AgentStatus, Display> = {
  idle: { label: "Idle", icon: "circle", tone: "grey" },
  running: { label: "Running", icon: "loader-circle", tone: "accent", moves: true },
  error: { label: "Error", icon: "circle-alert", tone: "red" },
  paused: { label: "Paused", icon: "circle-pause", tone: "violet" },
  pending_approval: { label: "Pending approval", icon: "hourglass", tone: "amber" },
  terminated: { label: "Terminated", icon: "ban", tone: "grey" },
};

/** Everything else with a status: approvals, interactions, companies, routines, routine runs, secrets, vaults, health. */
const other: Readonly<Record<string, Display>> = {
  pending: { label: "Pending", icon: "hourglass", tone: "amber" },
  revision_requested: { label: "Changes requested", icon: "pencil", tone: "amber" },
  resubmitted: { label: "Resubmitted", icon: "hourglass", tone: "amber" },
  approved: { label: "Approved", icon: "circle-check", tone: "green" },
  rejected: { label: "Rejected", icon: "circle-x", tone: "red" },
  accepted: { label: "Accepted", icon: "circle-check", tone: "green" },
  answered: { label: "Answered", icon: "circle-check", tone: "green" },
  expired: { label: "Expired", icon: "circle-slash", tone: "grey" },
  cancelled: { label: "Cancelled", icon: "circle-slash", tone: "grey" },
  active: { label: "Active", icon: "circle-check", tone: "green" },
  paused: { label: "Paused", icon: "circle-pause", tone: "violet" },
  archived: { label: "Archived", icon: "archive", tone: "grey" },
  disabled: { label: "Disabled", icon: "ban", tone: "grey" },
  planned: { label: "Planned", icon: "circle-dashed", tone: "grey" },
  in_progress: { label: "In progress", icon: "circle-dot", tone: "accent" },
  completed: { label: "Completed", icon: "circle-check", tone: "green" },
  achieved: { label: "Achieved", icon: "circle-check", tone: "green" },
  received: { label: "Received", icon: "inbox", tone: "grey" },
  issue_created: { label: "Issue created", icon: "circle-dot", tone: "accent" },
  coalesced: { label: "Joined another run", icon: "git-branch", tone: "grey" },
  skipped: { label: "Skipped", icon: "skip-forward", tone: "grey" },
  failed: { label: "Failed", icon: "circle-x", tone: "red" },
  ready: { label: "Ready", icon: "circle-check", tone: "green" },
  unknown: { label: "Not checked", icon: "circle-question-mark", tone: "grey" },
  error: { label: "Error", icon: "circle-alert", tone: "red" },
  degraded: { label: "Degraded", icon: "triangle-alert", tone: "amber" },
  warning: { label: "Needs attention", icon: "triangle-alert", tone: "amber" },
  coming_soon: { label: "Coming soon", icon: "hourglass", tone: "grey" },
  current: { label: "Current", icon: "circle-check", tone: "green" },
  previous: { label: "Previous", icon: "circle", tone: "grey" },
  ok: { label: "Working", icon: "circle-check", tone: "green" },
};

const displays = { issue: { ...issue, ...done }, run, agent, other } as const;

type StatusProps =
  | { readonly of: "issue"; readonly status: IssueStatus | DoneAs; readonly bare?: boolean }
  | { readonly of: "run"; readonly status: ShownRunStatus; readonly bare?: boolean }
  | { readonly of: "agent"; readonly status: AgentStatus; readonly bare?: boolean }
  | { readonly of: "other"; readonly status: string; readonly bare?: boolean };

export const displayOf = (of: StatusProps["of"], status: string): Display =>
  (displays[of] as Readonly<Record<string, Display>>)[status] ?? {
    label: status.replaceAll("_", " "),
    icon: "circle",
    tone: "grey",
  };

export const runStatusShown = (run: {
  readonly status: RunStatus;
  readonly waitsForPersonSince: string | null;
}): ShownRunStatus => (run.waitsForPersonSince === null ? run.status : "waits");

interface MarkProps {
  /** The classes of its colour and motion. */
  readonly kind: string;
  readonly icon: IconName;
  readonly label: string;
  readonly bare: boolean;
}

/** A bare mark has a label in place of a hidden word, which would be one more element: lists draw many. */
const Mark = ({ kind, icon, label, bare }: MarkProps) =>
  bare ? (
    <span className={`status ${kind}`} role="img" aria-label={label} title={label}>
      <Icon name={icon} />
    </span>
  ) : (
    <span className={`status ${kind}`}>
      <Icon name={icon} />
      <span>{label}</span>
    </span>
  );

/** A status by icon, word and colour. `bare` leaves the word to readers and to the hover, for narrow rows. */
export const Status = ({ of, status, bare = false }: StatusProps) => {
  const { label, icon, tone, moves } = displayOf(of, status);
  return <Mark kind={moves ? `${tone} moves` : tone} icon={icon} label={label} bare={bare} />;
};

export const priorityDisplays: Record<Priority, Display> = {
  critical: { label: "Critical", icon: "octagon-alert", tone: "red" },
  high: { label: "High", icon: "signal-high", tone: "amber" },
  medium: { label: "Medium", icon: "signal-medium", tone: "grey" },
  low: { label: "Low", icon: "signal-low", tone: "grey" },
};

export const PriorityMark = ({
  priority,
  bare = false,
}: {
  readonly priority: Priority;
  readonly bare?: boolean;
}) => {
  const { label, icon, tone } = priorityDisplays[priority];
  return <Mark kind={tone} icon={icon} label={bare ? `${label} priority` : label} bare={bare} />;
};
