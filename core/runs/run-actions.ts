import { callerMayOf } from "../access/caller-may.ts";
import { type Agent, AgentNotInvokable } from "../agents/agent.ts";
import type { Holds } from "../agents/holds.ts";
import type { CompanyStatus } from "../companies/company.ts";
import type { Instant } from "../shared/instant.ts";
import { type Run, RunNotFailed } from "./run.ts";
import { hasFailed } from "./run-status.ts";
import { skipReason } from "./wake.ts";

/** What the actions on a run depend on. */
export interface RunFacts extends Pick<Run, "status"> {
  readonly agent: Pick<Agent, "standing" | "runtimeConfig" | keyof Holds> & {
    readonly companyStatus: CompanyStatus;
  };
  readonly at: Instant;
}

/** Returns why the run is not tried again, or null. */
export const refusalOfRetry = ({ status, agent, at }: RunFacts): RunNotFailed | AgentNotInvokable | null => {
  if (!hasFailed(status)) return new RunNotFailed({ status });
  const reason = skipReason({ agent, company: agent.companyStatus, reason: "run_retried", at });
  return reason === null
    ? null
    : new AgentNotInvokable({ reason }, `The agent cannot be woken now: ${reason}.`);
};

/** What a reader may do with a run. Cancelling one that has ended changes nothing. */
export const runActions = callerMayOf<"run", RunFacts>("run", { cancel: null, retry: refusalOfRetry });
