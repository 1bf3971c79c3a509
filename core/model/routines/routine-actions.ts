import * as Result from "effect/Result";
import type { Actor } from "../access/caller.ts";
import { callerMayOf } from "../access/caller-may.ts";
import type { Agent } from "../agents/agent.ts";
import { type AgentNotAssignable, assignable } from "../agents/named-agent.ts";
import { type Company, CompanyNotActive } from "../companies/company.ts";
import { companyStatus } from "../companies/company-status.ts";
import { type ProjectArchived, refusalOfNewWork } from "../projects/project.ts";
import type { NotAllowed, ReferenceNotFound } from "../shared/failure.ts";
import type { Instant } from "../shared/instant.ts";
import { type RoutineArchived, type RoutineFields, refusalOfChange } from "./routine.ts";

/** The facts on which the actions on the routine depend. */
export interface RoutineFacts extends Pick<RoutineFields, "assigneeAgentId" | "status"> {
  readonly company: Pick<Company, "status" | "heldByBudgetAt">;
  readonly isProjectArchived: boolean;
  readonly at: Instant;
}

/** The facts on which the activation of the routine depends. */
interface ActivationFacts extends RoutineFacts {
  readonly assignee: Pick<Agent, "lifecycleState">;
}

/** Returns why the routine is not activated, or null: it needs an assignee that exists. */
const refusalOfActivation = (
  { assignee, ...routine }: ActivationFacts,
  by: Actor,
): NotAllowed | RoutineArchived | ReferenceNotFound | AgentNotAssignable | null => {
  const refusal = refusalOfChange(routine, by);
  if (refusal !== null || routine.status === "active") return refusal;
  const named = assignable(assignee, "assigneeAgentId");
  return Result.isFailure(named) ? named.failure : null;
};

/** Returns why the routine is not run by hand, or null. */
export const refusalOfRun = (
  routine: RoutineFacts,
  by: Actor,
): NotAllowed | RoutineArchived | CompanyNotActive | ProjectArchived | null => {
  const refusal = refusalOfChange(routine, by);
  if (refusal !== null) return refusal;
  const { status } = companyStatus(routine.company, routine.at);
  if (status !== "active") return new CompanyNotActive({ status });
  return refusalOfNewWork(routine.isProjectArchived);
};

/** The actions that a reader may take on the routine. */
export const routineActions = callerMayOf<"routine", ActivationFacts>("routine", {
  update: refusalOfChange,
  activate: refusalOfActivation,
  run: refusalOfRun,
});
