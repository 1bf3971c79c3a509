import type * as Effect from "effect/Effect";
import type { Issue } from "../../core/issues/issue.ts";
import type { Caps, Running } from "../../core/runs/gate.ts";
import type { RecentRuns } from "../../core/runs/loop-breaker.ts";
import type { EndLine, Run, RunNotFound, RunVerdict, StopReason } from "../../core/runs/run.ts";
import type { AgentId, CompanyId, IssueId, RunId, ServiceId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";
import type { TokenUsage } from "../agent-adapter.ts";
import type { ProcessIdentity } from "../process-runner.ts";
import type { AgentInCompany } from "./agent-store.ts";

/** Which live runs: all given conditions must hold. */
export interface LiveRuns {
  readonly agentId?: AgentId;
  readonly companyId?: CompanyId;
  readonly issueId?: IssueId;
  readonly runId?: RunId;
  readonly serviceId?: ServiceId;
  /** Not this one: a run that asks for the stop of others. */
  readonly except?: RunId | null;
}

/** What is kept of a run once it has ended. */
export interface RunEnding extends RunVerdict {
  readonly line: EndLine;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly lastOutput: string | null;
  readonly summary: string | null;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly usage: TokenUsage | null;
  readonly costCents: number | null;
  readonly sessionIdAfter: string | null;
  readonly at: Instant;
}

/** A queued run that may be next, with all that the gate and the checkout ask about it. */
export interface Candidate {
  readonly run: Run;
  readonly agent: AgentInCompany;
  readonly issue: Issue | null;
  readonly openBlockers: readonly IssueId[];
  readonly running: Running;
  readonly accountHeldUntil: Instant | null;
  readonly recent: RecentRuns;
}

/** What a service could start now. */
export interface ClaimScope {
  /** Adapters it has loaded. */
  readonly adapterTypes: readonly string[];
  readonly limit: number;
  readonly caps: Caps;
  readonly at: Instant;
}

/** A provider allows no run of the agent's adapter and account before `notBefore`. */
export interface AccountHold {
  readonly agentId: AgentId;
  readonly adapterType: string;
  readonly notBefore: Instant;
  /** Which run was told so. */
  readonly runId: RunId;
  readonly at: Instant;
}

/** What an adapter needs to go on where the last run of a task ended; only the adapter reads `params`. */
export interface TaskSession {
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly adapterType: string;
  readonly taskKey: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly displayId: string | null;
  readonly lastRunId: RunId;
  readonly updatedAt: Instant;
}

/** Which service looks for runs without supervision, and whether it may trust leases. */
export interface TakeOver {
  readonly host: string;
  /** Whether a lease that has ended counts, too; otherwise only services that are gone for certain. */
  readonly byLease: boolean;
}

/** A run whose service is gone, or let its lease end. */
export interface LostRun extends Run {
  /** Whether its processes are, or were, on the machine of the service that takes it over. */
  readonly isHere: boolean;
}

/** A line of a run's story; the store numbers it. */
export interface RunEvent {
  readonly companyId: CompanyId;
  readonly runId: RunId;
  readonly type: "lifecycle" | "adapter.invoke" | "error";
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly at: Instant;
}

/** Runs, their stories and sessions. */
export interface RunStore {
  /** Waits for its holder. */
  lock(id: RunId): Effect.Effect<Run, RunNotFound>;
  /** The queued or running run of that agent and issue; waits for its holder. */
  lockLive(agentId: AgentId, issueId: IssueId | null): Effect.Effect<Run | null>;
  /** Queued or running; it cannot end before the transaction does. A run that is missing is not active. */
  isActive(id: RunId): Effect.Effect<boolean>;
  /** The latest run of the agent on each of the issues. */
  latestOn(agentId: AgentId, issueIds: readonly IssueId[]): Effect.Effect<readonly Run[]>;
  /**
   * The next queued runs, with their agents and issues locked in the common order. First come those of the company
   * with the fewest running runs, then of the one that has waited longest for a start, then the oldest. One
   * transaction at a time sees candidates, so that what the gate counts cannot change under it. Runs that wait for a
   * cap, a provider or a person are passed over, so that they do not hide the others.
   */
  lockCandidates(scope: ClaimScope): Effect.Effect<readonly Candidate[]>;
  /** Marks a queued run: it starts after a person has done something about its issue, or invoked its agent. */
  holdForPeople(id: RunId, at: Instant): Effect.Effect<void>;
  /** Lets no run of the agent's adapter and account start before that time. The later of two times stays. */
  holdAccount(hold: AccountHold): Effect.Effect<void>;
  /** Queued runs of the agent are carried out by that adapter. */
  handToAdapter(agentId: AgentId, adapterType: string, at: Instant): Effect.Effect<void>;
  /** Puts it into the supervision of a service, on that service's host. */
  start(id: RunId, serviceId: ServiceId, sessionIdBefore: string | null, at: Instant): Effect.Effect<void>;
  noteProcess(id: RunId, identity: ProcessIdentity, at: Instant): Effect.Effect<void>;
  /** Tells live runs to stop that were not told before. Locks and answers with them. Servers are told. */
  requestStop(which: LiveRuns, reason: StopReason, at: Instant): Effect.Effect<readonly Run[]>;
  /** Ends live runs, which are locked, and adds the last line to the story of each. */
  end(ids: readonly RunId[], ending: RunEnding): Effect.Effect<void>;
  appendEvent(event: RunEvent): Effect.Effect<void>;
  session(agentId: AgentId, adapterType: string, taskKey: string): Effect.Effect<TaskSession | null>;
  saveSession(session: TaskSession): Effect.Effect<void>;
  clearSession(agentId: AgentId, adapterType: string, taskKey: string): Effect.Effect<void>;
  /** Running runs without supervision, for a service that may take them over. */
  lost(by: TakeOver): Effect.Effect<readonly LostRun[]>;
}
