import { callerMayOf } from "../access/caller-may.ts";
import { refusalOfInvoke } from "../agents/agent-actions.ts";
import type { CompanyStatus } from "../companies/company.ts";
import { obstacleToRetry, type WakeFacts } from "./may-wake.ts";
import { type Run, RunNotFailed } from "./run.ts";
import { hasFailed } from "./run-status.ts";
import { refusedWake, type WakeRefusal } from "./wake-refusal.ts";

/** The facts on which the actions on a run depend. */
export interface RunFacts
  extends Pick<Run, "status" | "wakeReason" | "context">,
    Pick<WakeFacts, "issue" | "projectHeldByBudgetAt" | "at"> {
  readonly agent: WakeFacts["agent"] & { readonly companyStatus: CompanyStatus };
}

const wakeFactsOf = ({ agent, issue, projectHeldByBudgetAt, at }: RunFacts): WakeFacts => ({
  agent,
  company: agent.companyStatus,
  issue,
  projectHeldByBudgetAt,
  at,
});

/** Returns why the run is not tried again, or null. */
export const refusalOfRetry = (run: RunFacts): RunNotFailed | WakeRefusal | null => {
  if (!hasFailed(run.status)) return new RunNotFailed({ status: run.status });
  const obstacle = obstacleToRetry(run, wakeFactsOf(run));
  return obstacle === null ? null : refusedWake(obstacle);
};

/** The actions that a reader may take on a run. Cancelling one that has ended changes nothing. */
export const runActions = callerMayOf<"run", RunFacts>("run", {
  cancel: null,
  retry: refusalOfRetry,
  invoke: (run, by) => refusalOfInvoke(wakeFactsOf(run), by),
});
