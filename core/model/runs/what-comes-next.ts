import type { Agent } from "../agents/agent.ts";
import { isWokenByTimerOnly } from "../agents/agent-config.ts";
import { holdWords } from "../agents/hold-words.ts";
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
  readonly leftIssue: IdleFacts | null;
}

/** Returns the sentence for a queued run whose adapter is not available in this service. */
export const waitsForAdapter = (adapterType: string, status: "loading" | "failed" | "missing"): string => {
  const until = "The run starts as soon as it can";
  switch (status) {
    case "loading":
      return `Its adapter ${adapterType} is being loaded. ${until}.`;
    case "failed":
      return `Its adapter ${adapterType} could not be loaded (adapter_unavailable). ${until}: an instance admin sees why in the list of adapters, and can reload it.`;
    case "missing":
      return `No adapter of type ${adapterType} is installed (adapter_unavailable). ${until}: an instance admin can install it, or give the agent another.`;
  }
};

/** Returns the sentence for a queued run whose runner is not available in this service. */
export const waitsForRunner = (runner: string): string =>
  `This service cannot use its runner ${runner}. The run starts as soon as a service can: an instance admin sees why in the list of runners, or can give the agent another.`;

/** The sentence for a queued run while the disk of the machine is full. */
export const waitsForDisk =
  "The disk of the service's machine has too little room for another run (SERVICE_RUN_MIN_FREE_MB). The run starts as soon as there is room: remove workspaces (`workspaces list` shows which may be removed), or make the disk larger.";

/** Returns the sentence for a queued run while the host with its agent's files does not answer. */
export const waitsForHost = (
  { host, lastSeenAt, abandonedAt }: { host: string; lastSeenAt: Instant; abandonedAt: Instant },
  at: Instant,
): string => {
  const silent = `the host ${host}, where its agent's workspace and sessions are; it last answered ${Math.max(0, Math.round(secondsBetween(lastSeenAt, at)))} s ago`;
  return abandonedAt > at
    ? `It waits for ${silent}. It is abandoned at ${abandonedAt}: then the run starts on another host, without them.`
    : `It no longer waits for ${silent}. It starts on another host as soon as one has a free slot, without them.`;
};

const untilThen = (until: Instant | null): string =>
  until === null ? "" : `, not before ${until}, when its provider allows it again`;

const releasedSentence = `It starts when ${holdWords.restored.until}.`;

const follower = ({ next, accountHeldUntil, isHeldAsRestored }: RunSituation): string | null => {
  if (next === null) return null;
  const words = wakeReasons[next.reason].toPeople;
  if (!isLive(next.status)) return `${words}: run ${next.id} followed, and has ended (${next.status}).`;
  if (next.status === "running") return `${words}: run ${next.id} is running.`;
  if (isHeldAsRestored) return `${words} by run ${next.id}. ${releasedSentence}`;
  return next.quarantinedSince !== null
    ? `${words} by run ${next.id}. ${quarantined("It")}`
    : `${words}: run ${next.id} is queued${untilThen(accountHeldUntil)}.`;
};

const obstacle = (
  { agent, projectHeldByBudgetAt, isHeldAsRestored }: RunSituation,
  at: Instant,
): string | null => {
  if (agent.companyStatus === "archived") return "Nothing: the company is archived.";
  if (agent.lifecycleState === "terminated") return "Nothing: the agent is terminated.";
  const [hold] = isHeldAsRestored
    ? (["restored"] as const)
    : holdsOnWork(agent, agent.companyStatus, projectHeldByBudgetAt, at);
  return hold === undefined ? null : `Nothing until ${holdWords[hold].until}.`;
};

/** The next step for an issue that was left in progress and does not count as stalled. */
const leftWords: Partial<Readonly<Record<IdleReason, string>>> = {
  waits_for_answer: "Nothing until a person answers what its issue asks.",
  blocked_by: "Nothing until the issues that block its issue are closed.",
  project_budget: `Nothing until ${holdWords.project_budget.until}.`,
  gates_judged:
    "The gates of its issue are judged. The issue is then done, if the run asked for that and all are met; otherwise another run follows.",
};

const afterEnd = ({ leftIssue, agent }: RunSituation): string => {
  if (leftIssue === null) return "Nothing; the agent waits to be woken.";
  return (
    leftWords[judgeIdleIssue(leftIssue)] ??
    (isWokenByTimerOnly(agent.runtimeConfig)
      ? "The issue stays in progress and counts as stalled; only the agent's timer wakes it."
      : "The issue stays in progress and counts as stalled: comment on it, or wake the agent, to continue.")
  );
};

/**
 * Returns what happens next to a run that has started, or after it; where nothing does, what a person can do. `judgeQueuedRun`
 * explains one that is queued.
 */
export const whatComesNext = (facts: RunSituation, at: Instant): string => {
  switch (facts.status) {
    case "queued":
      return "It is queued.";
    case "running":
      if (facts.stopRequested) return "It ends as soon as its last process is dead.";
      if (facts.waitsForPerson)
        return "It waits until a person answers what its program asks, at most until that expires. Its time limit is suspended.";
      return facts.waiting === 0
        ? "It continues until its program ends or its time limit; nothing waits for it."
        : `When it ends, another run takes up what waits for it (${facts.waiting}).`;
    default:
      return follower(facts) ?? obstacle(facts, at) ?? afterEnd(facts);
  }
};
