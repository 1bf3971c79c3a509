import type { Actor } from "../access/caller.ts";
import { callerMayOf } from "../access/caller-may.ts";
import { type Company, CompanyNotActive } from "../companies/company.ts";
import { companyStatus } from "../companies/company-status.ts";
import { ProjectArchived } from "../projects/project.ts";
import type { NotAllowed } from "../shared/failure.ts";
import type { Instant } from "../shared/instant.ts";
import { type RoutineArchived, type RoutineFields, refusalOfChange } from "./routine.ts";

/** The facts on which the actions on the routine depend. */
export interface RoutineFacts extends Pick<RoutineFields, "assigneeAgentId" | "status"> {
  readonly company: Pick<Company, "status" | "heldByBudgetAt">;
  readonly isProjectArchived: boolean;
  readonly at: Instant;
}

/** Returns why the routine is not run by hand, or null. */
export const refusalOfRun = (
  routine: RoutineFacts,
  by: Actor,
): NotAllowed | RoutineArchived | CompanyNotActive | ProjectArchived | null => {
  const no = refusalOfChange(routine, by);
  if (no !== null) return no;
  const { status } = companyStatus(routine.company, routine.at);
  if (status !== "active") return new CompanyNotActive({ status });
  return routine.isProjectArchived ? new ProjectArchived() : null;
};

/** The actions that a reader may take on the routine. */
export const routineActions = callerMayOf<"routine", RoutineFacts>("routine", {
  update: refusalOfChange,
  run: refusalOfRun,
});
