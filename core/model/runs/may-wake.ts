import type { Agent } from "../agents/agent.ts";
import type { Holds } from "../agents/holds.ts";
import type { CompanyStatus } from "../companies/company.ts";
import type { Issue } from "../issues/issue.ts";
import type { Instant } from "../shared/instant.ts";
import { notConcerned } from "./gate.ts";
import { causeOf, type Run } from "./run.ts";
import { skipReason, type WakePayload } from "./wake.ts";
import type { WakeReason } from "./wake-reason.ts";
import type { WakeObstacle } from "./wake-refusal.ts";

/** The facts that decide whether a caller may have an agent started now. */
export interface WakeFacts {
  readonly agent: Pick<Agent, "id" | "lifecycleState" | keyof Holds | "runtimeConfig">;
  readonly company: CompanyStatus;
  /** null: about no issue. */
  readonly issue: Pick<Issue, "status" | "assigneeAgentId"> | null;
  /** Since when the budget of the issue's project is used up. */
  readonly projectHeldByBudgetAt: Instant | null;
  readonly at: Instant;
}

/** Returns why the gate would refuse a run for that reason, or null. */
const obstacleTo = (facts: WakeFacts, reason: WakeReason, context: WakePayload = {}): WakeObstacle | null =>
  skipReason(facts, reason) ??
  (facts.issue === null ? null : notConcerned({ wakeReason: reason, context }, facts.agent.id, facts.issue));

/** Returns why the agent may not be invoked, or null. */
export const obstacleToInvoke = (facts: WakeFacts): WakeObstacle | null => obstacleTo(facts, "manual");

/** Returns why a failed run may not be tried again, or null; `retryOf` decides whether it has failed. */
export const obstacleToRetry = (
  run: Pick<Run, "wakeReason" | "context">,
  facts: WakeFacts,
): WakeObstacle | null => obstacleTo(facts, "run_retried", { retryOfReason: causeOf(run) });
