import type * as Effect from "effect/Effect";
import type { Issue } from "../../core/model/issues/issue.ts";
import type { RunMessage } from "../../core/model/runs/messages/run-message.ts";
import type { Wake, WakeRequest } from "../../core/model/runs/wake.ts";
import type { WakeReason } from "../../core/model/runs/wake-reason.ts";
import type { AgentId, CompanyId, IssueId, ProjectId, RunId, WakeId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** Selects wakes: all given conditions must hold. */
export interface WakesOf {
  readonly agentId?: AgentId;
  readonly companyId?: CompanyId;
  /** Wakes for the project's issues. */
  readonly projectId?: ProjectId;
  readonly issueId?: IssueId;
}

/** The scope of one hold: the work of an agent or a company, on the issues of a project, or on one that moved there. */
export type WorkOnHold =
  | { readonly agentId: AgentId }
  | { readonly companyId: CompanyId }
  | { readonly projectId: ProjectId }
  | { readonly issueId: IssueId };

export interface CutOffWake extends Pick<Wake, "agentId" | "issueId" | "reason" | "payload"> {
  /** Its current issue; null where it has none. */
  readonly issue: Pick<Issue, "status" | "assigneeAgentId"> | null;
}

export interface WakeStore {
  /**
   * Adds a pending wake. Without a live run of the agent and issue, it creates a queued one; a queued run takes it up;
   * behind a running one it waits and becomes the next run. Notifies servers.
   */
  add(request: WakeRequest): Effect.Effect<void>;
  /** Adds a wake that ends at once, with the reason. */
  addSkipped(request: WakeRequest, reason: string): Effect.Effect<void>;
  /** Ends the wakes of started runs: the oldest one of a run started it, its others are coalesced. */
  endStarted(runIds: readonly RunId[], at: Instant): Effect.Effect<void>;
  cancelPending(of: WakesOf, reason: string, at: Instant): Effect.Effect<void>;
  /** Those of the agents for whom a tick of their timer still waits for its run to start. */
  waitingTicks(agentIds: readonly AgentId[]): Effect.Effect<readonly AgentId[]>;
  /** Wakes that wait for the run to start, oldest first. */
  joined(runId: RunId): Effect.Effect<readonly Pick<Wake, "id" | "reason" | "payload">[]>;
  /** Detaches pending wakes from their run. */
  leave(ids: readonly WakeId[]): Effect.Effect<void>;
  /** Cancels the pending wakes of these runs. */
  cancelOfRuns(runIds: readonly RunId[], reason: string, at: Instant): Effect.Effect<void>;
  /**
   * Returns what holds have prevented of that work of the company and no run has done since: for each agent and issue
   * the latest wake of these reasons that was skipped, cancelled or interrupted. What another budget hold stops is left
   * out where the hold of a project is lifted.
   */
  cutOff(
    companyId: CompanyId,
    of: WorkOnHold,
    reasons: readonly WakeReason[],
  ): Effect.Effect<readonly CutOffWake[]>;
  /** Whether a wake waits for the live run of that agent and issue to end. */
  followUpWaits(agentId: AgentId, issueId: IssueId | null): Effect.Effect<boolean>;
  /** Ends the wake of a message that the run has got. */
  endDelivered(
    message: Pick<RunMessage, "id" | "runId" | "agentId" | "issueId" | "commentId">,
    at: Instant,
  ): Effect.Effect<void>;
  /** Creates a queued run of the wakes that waited for the live one, if any. Notifies servers. */
  promote(agentId: AgentId, issueId: IssueId | null, runId: RunId, at: Instant): Effect.Effect<void>;
}
