import type { HoldEnd } from "../agents/holds.ts";
import { refusal } from "../shared/failure.ts";
import type { AgentId, CompanyId, IssueId, RunId, ServiceId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { isLive, type RunEnd, type RunStatus } from "./run-status.ts";
import type { WakePayload } from "./wake.ts";
import { type WakeReason, type WakeSource, wakeReasons } from "./wake-reason.ts";

/** One heartbeat of an agent: its row is the only source of its state. */
export interface Run {
  readonly id: RunId;
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly issueId: IssueId | null;
  readonly adapterType: string;
  readonly status: RunStatus;
  readonly wakeReason: WakeReason;
  readonly invocationSource: WakeSource;
  /** The payload of the founding wake, and the additions of coalesced wakes. */
  readonly context: WakePayload;
  readonly retryOfRunId: RunId | null;
  /** The service process that supervises it. */
  readonly serviceId: ServiceId | null;
  /** The name of the runner that it started on; null before. */
  readonly runner: string | null;
  /** The process, pod or container of its programs, as its runner identifies it; null before the first starts. */
  readonly process: RunProcess | null;
  readonly stopRequestedAt: Instant | null;
  readonly stopReason: StopReason | null;
  /** Its program accepts messages from people while it works. */
  readonly takesMessages: boolean;
  /** Its program can end its turn without ending its session. */
  readonly takesInterrupt: boolean;
  /** While it is queued: when the change that caused it can no longer be undone. */
  readonly notBefore: Instant | null;
  readonly startedAt: Instant | null;
  readonly createdAt: Instant;
}

/**
 * The unit that holds the programs of a run, with the lasting identity that its container engine gives it; an engine
 * may reuse a name.
 */
export interface RunProcess {
  /** `process` on a service's machine; otherwise the engine's own term. */
  readonly kind: "process" | "pod" | "container";
  /** A pid, or the name of a pod. */
  readonly name: string;
  /** Compared for equality only. */
  readonly uid: string;
}

/** The purpose of the run: a retry has the purpose of the run it retries. */
export const causeOf = (run: Pick<Run, "wakeReason" | "context">): WakeReason =>
  wakeReasons[run.wakeReason].isRetry ? (run.context.retryOfReason ?? run.wakeReason) : run.wakeReason;

/** The reason for which a live run must stop. It stays live until its process tree is dead. */
export const stopReasons = {
  cancelled: "Cancelled by board.",
  turn_interrupted: "Interrupted by board. The next run continues the session.",
  agent_paused: "The agent was paused.",
  agent_terminated: "The agent was terminated.",
  company_paused: "The company was paused.",
  company_archived: "The company was archived.",
  budget_exhausted: "The budget is used up.",
  project_budget_exhausted: "The project's budget is used up.",
  run_cost_cap: "Reached the agent's cost limit per run (maxCostCents).",
  issue_reassigned: "The issue was reassigned.",
  issue_cancelled: "The issue was cancelled.",
  service_shutdown: "The service was stopped.",
} as const satisfies Readonly<Record<HoldEnd, string>> & Readonly<Record<string, string>>;
export type StopReason = keyof typeof stopReasons;

export class RunNotFound extends refusal("run_not_found", "not_found", "Run not found.") {}

/** The operator limits how long events and logs of ended runs are stored. */
export class RunDetailsDeleted extends refusal(
  "run_details_deleted",
  "not_found",
  "The events and log of this run have been deleted, because their retention period is over.",
) {}

/** A run that an interrupt ends by itself can still be stopped: for any other reason, or after this time. */
export const interruptGraceSec = 15;

export class RunHasEnded extends refusal(
  "run_has_ended",
  "conflict",
  "The run has ended. Comment on the issue or wake the agent instead.",
) {}

export class RunNotInterruptible extends refusal(
  "run_not_interruptible",
  "conflict",
  "This run can't be interrupted without losing its session. Cancel it instead.",
) {}

export class RunNotFailed extends refusal(
  "run_not_failed",
  "conflict",
  "Only failed, timed-out or interrupted runs can be retried.",
) {}

/** Returns the payload of the wake that retries a failed run; the count of its losses restarts. */
export const retryOf = (run: Pick<Run, "id" | "wakeReason" | "context">): WakePayload => ({
  ...run.context,
  retryOfRunId: run.id,
  retryOfReason: causeOf(run),
  lostBefore: false,
});

/** The result of a run's program, as its adapter reports it. */
export interface RunOutcome {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
}

export interface RunVerdict {
  readonly status: RunEnd;
  readonly errorCode: string | null;
  /** A sentence for people; null for a run that went well. */
  readonly error: string | null;
}

const lost: RunVerdict = {
  status: "interrupted",
  errorCode: "process_lost",
  error: "Boardroom lost track of the run's process. Retrying once.",
};

const lostAgain: RunVerdict = {
  ...lost,
  error: "Boardroom lost track of the run's process twice. No retries left.",
};

/** Why the outcome of a program is unknown: its process was lost, or the service failed. */
export type Accident = "lost" | "service_failed";

const serviceFailed = (again: boolean): RunVerdict => ({
  status: "interrupted",
  errorCode: "service_error",
  error: `Boardroom failed during this run; see the service's log. ${again ? "No retries left" : "Retrying once"}.`,
});

/** Returns the verdict for a stopped run. */
export const stoppedBecause = (reason: StopReason): RunVerdict =>
  reason === "service_shutdown"
    ? {
        status: "interrupted",
        errorCode: reason,
        error: `${stopReasons[reason]} It continues when the service starts again.`,
      }
    : { status: "cancelled", errorCode: reason, error: stopReasons[reason] };

/** Returns the verdict for a queued run that the gate refuses. */
export const refusedBecause = (reason: string): RunVerdict => ({
  status: "cancelled",
  errorCode: reason,
  error: `Not started: ${reason.replaceAll("_", " ")}.`,
});

/** The last line of a run's story. */
export interface EndLine {
  readonly level: "info" | "error";
  readonly message: string;
}

/** A requested stop is not an error. */
export const endLine = ({ status, error }: RunVerdict): EndLine => ({
  level: status === "succeeded" || status === "cancelled" ? "info" : "error",
  message: error ?? "run succeeded",
});

/**
 * Decides how a run ended. A requested stop overrides the program's result; a program that reports an error has failed,
 * even where it exits with 0.
 */
export const judge = (
  run: Pick<Run, "stopReason" | "context">,
  outcome: RunOutcome | Accident,
): RunVerdict => {
  if (run.stopReason !== null) return stoppedBecause(run.stopReason);
  if (outcome === "lost") return run.context.lostBefore ? lostAgain : lost;
  if (outcome === "service_failed") return serviceFailed(run.context.lostBefore === true);
  if (outcome.timedOut)
    return {
      status: "timed_out",
      errorCode: "timeout",
      error: outcome.errorMessage ?? "The program exceeded its timeout.",
    };
  if (outcome.errorMessage !== null)
    return {
      status: "failed",
      errorCode: outcome.errorCode ?? "adapter_failed",
      error: outcome.errorMessage,
    };
  if (outcome.exitCode === 0) return { status: "succeeded", errorCode: null, error: null };
  return {
    status: "failed",
    errorCode: outcome.errorCode ?? "adapter_failed",
    error:
      outcome.signal !== null
        ? `The program was ended by ${outcome.signal}.`
        : `The program ended with exit code ${outcome.exitCode ?? "unknown"}.`,
  };
};

/** Whether the agent is marked as failed afterwards. */
export const agentErrorAfter = (verdict: RunVerdict): string | null =>
  verdict.status === "failed" || verdict.status === "timed_out" ? verdict.error : null;

/** Whether the run was interrupted without a request: such a run is retried once. */
export const isLoss = (verdict: RunVerdict): boolean =>
  verdict.status === "interrupted" && verdict.errorCode !== "service_shutdown";

/**
 * Tells whether the run reached its cost cap. People then decide about its issue, because another run would cost the
 * same.
 */
const reachedCap = ({ errorCode }: RunVerdict): boolean =>
  errorCode === ("run_cost_cap" satisfies StopReason);

/** The successor of a run without waiting wakes: a retry, one continuation for its issue, a note, or nothing. */
export type Next = "retry" | "recovery" | "continuation" | "stalled" | "nothing";

/**
 * Decides what follows for an issue that a run checked out itself and left in progress, given the latest run for that
 * issue: one continuation, and after it a note. Nothing follows a run that was stopped on purpose.
 */
export const whatFollowsClaim = (
  verdict: RunVerdict,
  latest: Pick<Run, "status" | "wakeReason" | "context"> | null,
): "continuation" | "stalled" | "nothing" => {
  if (reachedCap(verdict)) return "stalled";
  if (verdict.status === "cancelled") return "nothing";
  return whatFollowsContinued(latest);
};

/** Decides so by the latest run alone, which was not stopped. */
export const whatFollowsContinued = (
  latest: Pick<Run, "status" | "wakeReason" | "context"> | null,
): "continuation" | "stalled" =>
  latest !== null && !isLive(latest.status) && causeOf(latest) === "issue_continuation_needed"
    ? "stalled"
    : "continuation";

/** Whether the run is repeated: then its successor adopts everything that it had checked out. */
export const isDoneAgain = (next: Next): next is "retry" | "recovery" =>
  next === "retry" || next === "recovery";

/**
 * A run that the service stopped continues; a lost run is retried once. A run that left its issue in progress gets one
 * continuation; after that, or after a second loss, the issue counts as stalled. Nothing follows a run that was stopped
 * on purpose. A run that its provider refused continues when the provider allows it again.
 */
export const whatIsNext = (
  run: Pick<Run, "wakeReason" | "context">,
  verdict: RunVerdict,
  leftInProgress: boolean,
  allowedNoMore = false,
): Next => {
  const interrupted = verdict.status === "interrupted";
  if (interrupted && (!isLoss(verdict) || !run.context.lostBefore)) return "retry";
  if (verdict.status === "failed" && allowedNoMore) return "recovery";
  if (leftInProgress && reachedCap(verdict)) return "stalled";
  if (!leftInProgress || verdict.status === "cancelled") return "nothing";
  return interrupted || causeOf(run) === "issue_continuation_needed" ? "stalled" : "continuation";
};
