import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { PageRequest } from "../../../ports/views/page.ts";
import { shownAs } from "../../../ports/views/page.ts";
import type { PlanningViews, ProjectRecord } from "../../../ports/views/planning-views.ts";
import type { AgentCaller, BoardCaller } from "../../model/access/caller.ts";
import { budgetHolds } from "../../model/costs/budget.ts";
import { projectActions } from "../../model/projects/project-actions.ts";
import type { CompanyId, ProjectId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";

const shownTo =
  (caller: BoardCaller | AgentCaller, at: Instant) =>
  ({ heldByBudgetAt, companyStatus, ...record }: ProjectRecord) => ({
    ...record,
    /** Why no run starts on its issues. */
    pauseReason: budgetHolds(heldByBudgetAt, at) ? ("budget" as const) : null,
    callerMay: projectActions(record, { caller, companyId: record.companyId, companyStatus }),
  });

/** The projects as a reader sees them. */
export const showProject = (views: PlanningViews, clock: Clock) => ({
  /** Newest first; archived ones on request only. */
  list: (companyId: CompanyId, archived: boolean, page: PageRequest, caller: BoardCaller | AgentCaller) =>
    Effect.suspend(() => {
      const at = clock.now();
      return Effect.map(views.projects(companyId, archived, page, at), shownAs(shownTo(caller, at)));
    }),
  show: (id: ProjectId, caller: BoardCaller | AgentCaller) =>
    Effect.suspend(() => {
      const at = clock.now();
      return Effect.map(views.project(id, at), shownTo(caller, at));
    }),
});
