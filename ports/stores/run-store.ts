import type * as Effect from "effect/Effect";
import type { Issue } from "../../core/issues/issue.ts";
import type { Caps, Running } from "../../core/runs/gate.ts";
import type { Run, RunNotFound, RunVerdict, StopReason } from "../../core/runs/run.ts";
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
}

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

export interface RunEvent {
  readonly companyId: CompanyId;
  readonly runId: RunId;
  readonly type: "lifecycle" | "adapter.invoke" | "error";
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly at: Instant;
}

export interface RunStore {
  /** Waits for whoever holds it. */
  lock(id: RunId): Effect.Effect<Run, RunNotFound>;
  /** Queued or running; it cannot end before the transaction does. A run that is missing is not active. */
  isActive(id: RunId): Effect.Effect<boolean>;
  /**
   * The next queued runs of these adapter types, oldest first, with their agents and issues locked in the common
   * order. One transaction at a time sees candidates, so that what the gate counts cannot change under it. Runs beyond
   * what a cap leaves free are passed over, so that those who have used theirs up do not hide the others.
   */
  lockCandidates(
    adapterTypes: readonly string[],
    limit: number,
    caps: Caps,
  ): Effect.Effect<readonly Candidate[]>;
  start(id: RunId, serviceId: ServiceId, sessionIdBefore: string | null, at: Instant): Effect.Effect<void>;
  noteProcess(id: RunId, identity: ProcessIdentity, at: Instant): Effect.Effect<void>;
  /** Queued runs end at once as cancelled, with their wakes; running ones are told to stop. Servers are told. */
  requestStop(which: LiveRuns, reason: StopReason, at: Instant): Effect.Effect<void>;
  finish(id: RunId, ending: RunEnding): Effect.Effect<void>;
  appendEvent(event: RunEvent): Effect.Effect<void>;
  session(agentId: AgentId, adapterType: string, taskKey: string): Effect.Effect<TaskSession | null>;
  saveSession(session: TaskSession): Effect.Effect<void>;
  clearSession(agentId: AgentId, adapterType: string, taskKey: string): Effect.Effect<void>;
  /** Running runs in nobody's custody: their service is gone, or its lease has ended. */
  lost(at: Instant): Effect.Effect<readonly Run[]>;
}
