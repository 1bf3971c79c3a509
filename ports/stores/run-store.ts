import type * as Effect from "effect/Effect";
import type { OtherVolume } from "../../core/model/agents/volume.ts";
import type { Issue } from "../../core/model/issues/issue.ts";
import type { Caps, Running } from "../../core/model/runs/gate.ts";
import type { LoopKind, RecentRuns } from "../../core/model/runs/loop-breaker.ts";
import type { QuarantinedRuns } from "../../core/model/runs/quarantine.ts";
import type { EndLine, Run, RunNotFound, RunVerdict, StopReason } from "../../core/model/runs/run.ts";
import type { SessionEnd } from "../../core/model/runs/session-end.ts";
import type { UsageWindow } from "../../core/model/runs/usage-window.ts";
import type {
  AgentId,
  CompanyId,
  IssueId,
  ProjectId,
  RunId,
  ServiceId,
  VolumeId,
} from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { TokenUsage } from "../agent-adapter.ts";
import type { ProcessIdentity, RunPlacement } from "../process-runner.ts";
import type { AgentInCompany } from "./agent-store.ts";
import type { Actionable } from "./issue-store.ts";

/** Which live runs: all given conditions must hold. */
export interface LiveRuns {
  readonly agentId?: AgentId;
  readonly companyId?: CompanyId;
  /** Runs on the project's issues. */
  readonly projectId?: ProjectId;
  readonly issueId?: IssueId;
  readonly runId?: RunId;
  readonly serviceId?: ServiceId;
  /** Excludes these runs, whose programs outlive their service. */
  readonly outlive?: readonly RunId[];
  /** Excludes this run, which requests the stop of others. */
  readonly except?: RunId | null;
}

/** The stored end of a run. */
export interface StoredRunEnd extends RunVerdict {
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

/** A queued run that may be next, with the facts for the gate and the checkout. */
export interface Candidate {
  readonly run: Run;
  readonly agent: AgentInCompany;
  readonly issue: Issue | null;
  /** Since when the budget of the issue's project is used up. */
  readonly projectHeldByBudgetAt: Instant | null;
  readonly openBlockers: readonly IssueId[];
  /** `isHeldAsRestored` of the database. */
  readonly isHeldAsRestored: boolean;
  readonly running: Running;
  readonly accountHeldUntil: Instant | null;
  readonly recent: RecentRuns;
  /** Whether a run of another agent on its issue is being stopped. */
  readonly isBeingStopped: boolean;
  /** Where the agent's files are, if they are not on the volume of the scope. */
  readonly otherVolume: OtherVolume | null;
}

/** The runs that a service could start now. */
export interface ClaimScope {
  readonly serviceId: ServiceId;
  /** Where it keeps the workspaces of its own machine. */
  readonly volume: VolumeId;
  /** Adapters it has loaded. */
  readonly adapterTypes: readonly string[];
  /** Those of them whose agents belong to no host. */
  readonly typesWithoutFiles: readonly string[];
  /** The names of runners it can use. */
  readonly runners: readonly string[];
  /** The runner of agents that, with their company, name none. */
  readonly defaultRunner: string;
  readonly limit: number;
  readonly caps: Caps;
  readonly at: Instant;
}

/** A provider allows no run of the agent's adapter and account before `notBefore`. */
export interface AccountWindows {
  readonly agentId: AgentId;
  readonly adapterType: string;
  /** The run whose program has reported them. */
  readonly runId: RunId;
  readonly windows: readonly UsageWindow[];
  readonly at: Instant;
}

export interface AccountHold {
  readonly agentId: AgentId;
  readonly adapterType: string;
  readonly notBefore: Instant;
  /** The run that learned of it. */
  readonly runId: RunId;
  readonly at: Instant;
}

/** The tasks of an agent with an adapter, over many runs. */
export interface TaskOfAgent {
  readonly agentId: AgentId;
  readonly adapterType: string;
  readonly taskKey: string;
}

/** The state that an adapter needs to resume the last run of a task; only the adapter reads `params`. */
export interface TaskSession extends TaskOfAgent {
  readonly companyId: CompanyId;
  readonly params: Readonly<Record<string, unknown>>;
  readonly displayId: string | null;
  readonly lastRunId: RunId;
  readonly updatedAt: Instant;
}

/** With what keeps its files; null: not known. */
export interface StoredSession extends TaskSession {
  readonly volume: VolumeId | null;
}

/** The service that carries out a run, and where its programs run. */
export interface Supervisor {
  readonly serviceId: ServiceId;
  /** The runner of its programs. */
  readonly runner: string;
  readonly scope: string;
  /** The volume that keeps their workspaces; null: none. */
  readonly volume: VolumeId | null;
}

/** The start of a run's supervision by a service. */
export interface RunStart {
  readonly runId: RunId;
  readonly by: Supervisor;
  readonly sessionIdBefore: string | null;
}

export interface ProcessOfRun {
  readonly runId: RunId;
  readonly process: ProcessIdentity;
}

/** The service that looks for runs without supervision, and whether it may trust leases. */
export interface TakeOver {
  /** Where it finds and ends programs. */
  readonly scopes: readonly string[];
  /** A lease that had ended by then counts too; null: only services that are certainly gone. */
  readonly leaseEndedBy: Instant | null;
}

/** Running runs of a service that is gone, and the service that continues them. */
export interface RunMove {
  readonly from: ServiceId;
  readonly to: ServiceId;
  readonly among: readonly RunId[];
}

/** A run whose service is gone or has an ended lease. */
export interface LostRun extends Run {
  /** Whether the service that takes it over can find and end its processes. */
  readonly isReachable: boolean;
}

/** An event of a run; the store numbers it. */
export interface RunEvent {
  readonly companyId: CompanyId;
  readonly runId: RunId;
  readonly type: "lifecycle" | "adapter.invoke" | "error";
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly at: Instant;
}

/** Runs, their events and sessions. */
export interface RunStore {
  /** Waits for a concurrent lock and takes it. */
  lock(id: RunId): Effect.Effect<Run, RunNotFound>;
  /** Locks those that exist, ids ascending; waits for concurrent locks. */
  lockAll(ids: readonly RunId[]): Effect.Effect<readonly Run[]>;
  /** The queued or running run of that agent and issue; waits for a concurrent lock. */
  lockLive(agentId: AgentId, issueId: IssueId | null): Effect.Effect<Run | null>;
  /** Whether it is queued or running; prevents its end during the transaction. A missing run is not active. */
  isActive(id: RunId): Effect.Effect<boolean>;
  /** Whether it may write; prevents its end and a request to stop it during the transaction. */
  mayWrite(id: RunId): Effect.Effect<"yes" | "stopping" | "ended">;
  /** Locks those of the runs that are queued or running, and returns them. */
  lockLiveAmong(ids: readonly RunId[]): Effect.Effect<readonly RunId[]>;
  /** Whether a run of the agent is running on that volume; its lock of the agent keeps others from starting. */
  isRunningOn(agentId: AgentId, volume: VolumeId): Effect.Effect<boolean>;
  /** The latest run of the agent on each of the issues. */
  latestOn(agentId: AgentId, issueIds: readonly IssueId[]): Effect.Effect<readonly Run[]>;
  /** Returns those of the issues on which a run of their assignee has started since that time. */
  startedOn(issues: readonly Actionable[], since: Instant): Effect.Effect<ReadonlySet<IssueId>>;
  /**
   * Locks the next queued runs with their agents and issues in the common order. The company with the fewest running
   * runs comes first, then the one whose last start is oldest, then the oldest run. Only one transaction at a time sees
   * candidates, so that the gate's counts stay valid. Skips runs that wait for a cap, a provider or a person, so that
   * they do not hide the others. `mayBeMore`: another search may find others, even if all of these start.
   */
  lockCandidates(
    scope: ClaimScope,
  ): Effect.Effect<{ readonly candidates: readonly Candidate[]; readonly mayBeMore: boolean }>;
  /** Quarantines a queued run: no claim chooses it until it is released. */
  quarantine(id: RunId, kind: LoopKind, at: Instant): Effect.Effect<void>;
  /**
   * Releases queued runs of any of these kinds from quarantine. Waits for claims that are about to quarantine one, so that
   * none stays quarantined whose release was stored before. Notifies servers.
   */
  release(which: readonly QuarantinedRuns[], at: Instant): Effect.Effect<void>;
  /** Holds runs of the agent's adapter and account until that time. The later of two times stays. */
  holdAccount(hold: AccountHold): Effect.Effect<void>;
  /** Replaces the windows of the agent's adapter and account that have one of the names. */
  saveWindows(report: AccountWindows): Effect.Effect<void>;
  /** Moves queued runs of the agent to that adapter. */
  handToAdapter(agentId: AgentId, adapterType: string, at: Instant): Effect.Effect<void>;
  /** Starts the supervision of queued runs. */
  start(starts: readonly RunStart[], at: Instant): Effect.Effect<void>;
  /** The first time stays. */
  recordToolsListed(id: RunId, at: Instant): Effect.Effect<void>;
  recordPlacement(id: RunId, placement: RunPlacement, at: Instant): Effect.Effect<void>;
  /** Each run once. */
  recordProcesses(of: readonly ProcessOfRun[], at: Instant): Effect.Effect<void>;
  /** Its program takes messages, and interrupts or not. */
  recordCapabilities(id: RunId, takesInterrupt: boolean): Effect.Effect<void>;
  /** Requests the stop of live runs that have no request yet, or one to interrupt their turn. Locks and returns them. Notifies servers. */
  requestStop(which: LiveRuns, reason: StopReason, at: Instant): Effect.Effect<readonly Run[]>;
  /** Ends live, locked runs and adds the last event of each. */
  end(ids: readonly RunId[], runEnd: StoredRunEnd): Effect.Effect<void>;
  /** Adds events to locked runs, in this order. */
  appendEvents(events: readonly RunEvent[]): Effect.Effect<void>;
  /** Returns the sessions of the tasks that have one. */
  sessions(tasks: readonly TaskOfAgent[]): Effect.Effect<readonly StoredSession[]>;
  /** Stores it with the volume of its last run. */
  saveSession(session: TaskSession): Effect.Effect<void>;
  /** Returns how the ended run before this one went, of those that resumed the same session; null: it is the first, or resumed none. */
  previousInSession(id: RunId): Effect.Effect<SessionEnd | null>;
  clearSession(agentId: AgentId, adapterType: string, taskKey: string): Effect.Effect<void>;
  /** Deletes the sessions of the agent with files on that volume. Returns their number. */
  forgetSessions(agentId: AgentId, volume: VolumeId): Effect.Effect<number>;
  /** Returns running runs without supervision, for a service that may take them over. */
  lost(by: TakeOver): Effect.Effect<readonly LostRun[]>;
  /** Gives them to the service that continues them; locks and returns those that are running still. */
  moveTo(move: RunMove, at: Instant): Effect.Effect<readonly Run[]>;
}
