import { callerMayOf } from "../access/caller-may.ts";
import { refusalOfInvoke } from "../agents/agent-actions.ts";
import type { CompanyStatus } from "../companies/company.ts";
import { obstacleToRetry, type WakeFacts } from "./may-wake.ts";
import { type Run, RunHasEnded, RunNotFailed, RunNotInterruptible } from "./run.ts";
import { hasFailed, isLive } from "./run-status.ts";
import { refusedWake, type WakeRefusal } from "./wake-refusal.ts";

/** The facts on which the actions on a run depend. */
export interface RunFacts extends RetryFacts, Pick<Run, "stopRequestedAt" | "takesInterrupt"> {}

/** The facts on which a retry depends. */
interface RetryFacts
  extends Pick<Run, "status" | "wakeReason" | "context">,
    Pick<WakeFacts, "issue" | "projectHeldByBudgetAt" | "at"> {
  readonly agent: WakeFacts["agent"] & { readonly companyStatus: CompanyStatus };
}

const wakeFactsOf = ({ agent, issue, projectHeldByBudgetAt, at }: RetryFacts): WakeFacts => ({
  agent,
  company: agent.companyStatus,
  issue,
  projectHeldByBudgetAt,
  at,
});

/** Returns why the run cannot be retried, or null. */
export const refusalOfRetry = (run: RetryFacts): RunNotFailed | WakeRefusal | null => {
  if (!hasFailed(run.status)) return new RunNotFailed({ status: run.status });
  const obstacle = obstacleToRetry(run, wakeFactsOf(run));
  return obstacle === null ? null : refusedWake(obstacle);
};

/** Returns why the run accepts no message, or null. */
export const refusalOfMessage = ({ status }: Pick<Run, "status">): RunHasEnded | null =>
  isLive(status) ? null : new RunHasEnded();

/** Returns why the run's turn cannot be interrupted, or null. */
export const refusalOfInterrupt = (
  run: Pick<Run, "status" | "stopRequestedAt" | "takesInterrupt">,
): RunHasEnded | RunNotInterruptible | null => {
  if (!isLive(run.status)) return new RunHasEnded();
  return run.status === "running" && run.takesInterrupt && run.stopRequestedAt === null
    ? null
    : new RunNotInterruptible();
};

/** The actions that a reader may take on a run. Cancelling one that has ended changes nothing. */
export const runActions = callerMayOf<"run", RunFacts>("run", {
  cancel: null,
  say: refusalOfMessage,
  interrupt: refusalOfInterrupt,
  retry: refusalOfRetry,
  invoke: (run, by) => refusalOfInvoke(wakeFactsOf(run), by),
});
