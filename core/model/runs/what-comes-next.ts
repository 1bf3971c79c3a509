import type { Agent } from "../agents/agent.ts";
import { isWokenByTimerOnly } from "../agents/agent-config.ts";
import { holdMessages } from "../agents/hold-messages.ts";
import { type Holds, holdsOnWork } from "../agents/holds.ts";
import type { CompanyStatus } from "../companies/company.ts";
import { type IdleFacts, type IdleReason, judgeIdleIssue } from "../issues/idle-issue.ts";
import { type Instant, secondsBetween } from "../shared/instant.ts";
import { quarantined } from "./quarantine.ts";
import { isLive, type RunStatus } from "./run-status.ts";
import { type WakeReason, wakeReasons } from "./wake-reason.ts";

/** The facts that decide what happens next around a run that has started. */
export interface RunSituation {
  readonly status: RunStatus;
  readonly stopRequested: boolean;
  /** Its program has asked people for permission. */
  readonly waitsForPerson: boolean;
  /** The time before which the provider allows no run of its adapter and account. */
  readonly accountHeldUntil: Instant | null;
  /** The wakes that wait for its end. */
  readonly waiting: number;
  /** The next run of the same agent and issue. */
  readonly next: {
    readonly id: string;
    readonly status: RunStatus;
    readonly reason: WakeReason;
    readonly quarantinedSince: Instant | null;
  } | null;
  readonly agent: Pick<Agent, "lifecycleState" | "runtimeConfig" | keyof Holds> & {
    readonly companyStatus: CompanyStatus;
  };
  /** Since when the budget of its issue's project is used up. */
  readonly projectHeldByBudgetAt: Instant | null;
  /** The database was restored from a backup, and its agents are not released. */
  readonly isHeldAsRestored: boolean;
  /** The issue, where it is in progress, still assigned to the agent, and no run works on it; null otherwise. */
  readonly unfinishedIssue: IdleFacts | null;
}

/** Returns the sentence for a queued run whose adapter is not available in this service. */
export const waitsForAdapter = (adapterType: string, status: "loading" | "failed" | "missing"): string => {
  const until = "The run starts once it's available";
  switch (status) {
    case "loading":
      return `Adapter ${adapterType} is loading. ${until}.`;
    case "failed":
      return `Adapter ${adapterType} couldn't be loaded (adapter_unavailable). ${until}. An instance admin can see why and reload it on the Instance page.`;
    case "missing":
      return `Adapter ${adapterType} isn't installed (adapter_unavailable). ${until}. An instance admin can install it, or you can choose another adapter for the agent.`;
  }
};

/** Returns the sentence for a queued run whose runner is not available in this service. */
export const waitsForRunner = (runner: string): string =>
  `Runner ${runner} isn't available. The run starts once it is. An instance admin can see why on the Instance page, or you can choose another runner for the agent.`;

/** The sentence for a queued run while the disk of the machine is full. */
export const waitsForDisk =
  "Not enough disk space to start a run (SERVICE_RUN_MIN_FREE_MB). Remove workspaces (`workspaces list` shows which ones can go) or enlarge the disk.";

/** Returns the sentence for a queued run while the host with its agent's files does not answer. */
export const waitsForHost = (
  { host, lastSeenAt, abandonedAt }: { host: string; lastSeenAt: Instant; abandonedAt: Instant },
  at: Instant,
): string => {
  const silent = `host ${host}, which has the agent's workspace and sessions (last seen ${Math.max(0, Math.round(secondsBetween(lastSeenAt, at)))} s ago)`;
  return abandonedAt > at
    ? `Waiting for ${silent}. At ${abandonedAt} the run moves to another host without them.`
    : `No longer waiting for ${silent}. The run starts on another host without them as soon as a slot is free.`;
};

const untilThen = (until: Instant | null): string =>
  until === null ? "" : ` and starts after ${until}, when the provider allows it again`;

const releasedSentence = `It starts once ${holdMessages.restored.until}.`;

const follower = ({ next, accountHeldUntil, isHeldAsRestored }: RunSituation): string | null => {
  if (next === null) return null;
  const reason = wakeReasons[next.reason].toPeople;
  if (!isLive(next.status)) return `${reason}: run ${next.id}, which has ended (${next.status}).`;
  if (next.status === "running") return `${reason}: run ${next.id} is running.`;
  if (isHeldAsRestored) return `${reason}: run ${next.id}. ${releasedSentence}`;
  return next.quarantinedSince !== null
    ? `${reason}: run ${next.id}. ${quarantined("It")}`
    : `${reason}: run ${next.id} is queued${untilThen(accountHeldUntil)}.`;
};

const obstacle = (
  { agent, projectHeldByBudgetAt, isHeldAsRestored }: RunSituation,
  at: Instant,
): string | null => {
  if (agent.companyStatus === "archived") return "Finished. The company is archived.";
  if (agent.lifecycleState === "terminated") return "Finished. The agent is terminated.";
  const [hold] = isHeldAsRestored
    ? (["restored"] as const)
    : holdsOnWork(agent, agent.companyStatus, projectHeldByBudgetAt, at);
  if (hold === undefined) return null;
  return hold === "manual"
    ? "The agent is paused. Resume it to continue."
    : `Waiting until ${holdMessages[hold].until}.`;
};

/** The next step for an issue that was left in progress and does not count as stalled. */
const nextStepOfIdle: Partial<Readonly<Record<IdleReason, string>>> = {
  waits_for_answer: "Waiting for your answer on the issue.",
  blocked_by: "Waiting for the issues that block this one.",
  project_budget: `Waiting until ${holdMessages.project_budget.until}.`,
  gates_judged:
    "Checking the issue's gates. If the run asked for it and all pass, the issue becomes done. Otherwise another run follows.",
};

const afterEnd = ({ unfinishedIssue, agent }: RunSituation): string => {
  if (unfinishedIssue === null) return "Finished. Nothing scheduled next.";
  return (
    nextStepOfIdle[judgeIdleIssue(unfinishedIssue)] ??
    (isWokenByTimerOnly(agent.runtimeConfig)
      ? "This issue has stalled. The agent's schedule wakes it next."
      : "This issue has stalled. Comment or retry to continue.")
  );
};

/**
 * Returns what happens next to a run that has started, or after it; where nothing does, what a person can do. `judgeQueuedRun`
 * explains one that is queued.
 */
export const whatComesNext = (facts: RunSituation, at: Instant): string => {
  switch (facts.status) {
    case "queued":
      return "Queued.";
    case "running":
      if (facts.stopRequested) return "Stopping. The run ends when its last process does.";
      if (facts.waitsForPerson) return "Waiting for your answer. The time limit is paused meanwhile.";
      return facts.waiting === 0
        ? "Runs until it finishes or times out."
        : `When it ends, another run starts for what is waiting (${facts.waiting}).`;
    default:
      return follower(facts) ?? obstacle(facts, at) ?? afterEnd(facts);
  }
};
