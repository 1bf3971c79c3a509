import type * as Effect from "effect/Effect";
import type { Issue } from "../../core/issues/issue.ts";
import type { Wake, WakeRequest } from "../../core/runs/wake.ts";
import type { WakeReason } from "../../core/runs/wake-reason.ts";
import type { AgentId, CompanyId, IssueId, RunId, WakeId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

/** Whose wakes: all given conditions must hold. */
export interface WakesOf {
  readonly agentId?: AgentId;
  readonly companyId?: CompanyId;
  readonly issueId?: IssueId;
}

export interface CutOffWake extends Pick<Wake, "agentId" | "issueId" | "reason" | "payload"> {
  /** Its issue as it is now; null where it has none. */
  readonly issue: Pick<Issue, "status" | "assigneeAgentId"> | null;
}

export interface WakeStore {
  /**
   * Adds a pending wake. Where no run of the agent and issue lives, a queued one is founded with it; a queued one takes
   * it up; a running one makes it wait, and it becomes the run after that. Servers are told.
   */
  add(request: WakeRequest): Effect.Effect<void>;
  /** Adds a wake that ends at once, with the reason. */
  addSkipped(request: WakeRequest, reason: string): Effect.Effect<void>;
  /** The run a wake founded or joined; null while it waits or was skipped. */
  runOf(id: WakeId): Effect.Effect<RunId | null>;
  /** The run has started: the oldest of its wakes started it, the others are coalesced into it. */
  endStarted(runId: RunId, at: Instant): Effect.Effect<void>;
  cancelPending(of: WakesOf, reason: string, at: Instant): Effect.Effect<void>;
  /** Wakes that wait for the run to start, oldest first. */
  joined(runId: RunId): Effect.Effect<readonly Pick<Wake, "id" | "reason" | "payload">[]>;
  /** Pending wakes leave the run that they had joined, and wait. */
  leave(ids: readonly WakeId[]): Effect.Effect<void>;
  /** Cancels the wakes that wait for one of these runs to start. */
  cancelOfRuns(runIds: readonly RunId[], reason: string, at: Instant): Effect.Effect<void>;
  /**
   * What holds have kept from the agents of the company, or from one, and no run has made good since: for each agent and
   * issue the latest wake of these reasons that was skipped, cancelled or stopped in the middle.
   */
  cutOff(
    companyId: CompanyId,
    agentId: AgentId | null,
    reasons: readonly WakeReason[],
  ): Effect.Effect<readonly CutOffWake[]>;
  /** Whether a wake waits for the live run of that agent and issue to end. */
  followUpWaits(agentId: AgentId, issueId: IssueId | null): Effect.Effect<boolean>;
  /** Founds a queued run of the wakes that waited for the live one, if any do. Servers are told. */
  promote(agentId: AgentId, issueId: IssueId | null, runId: RunId, at: Instant): Effect.Effect<void>;
}
