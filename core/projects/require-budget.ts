import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { budgetHolds } from "../costs/budget.ts";
import type { CompanyId, ProjectId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { ProjectBudgetExhausted } from "./project.ts";

/** Refuses work that an agent would begin on an issue of a project whose budget is used up. */
export const requireProjectBudget = Effect.fnUntraced(function* (
  stores: Stores,
  {
    companyId,
    projectId,
  }: { readonly companyId: CompanyId; readonly projectId?: ProjectId | null | undefined },
  at: Instant,
) {
  if (!projectId) return;
  if (budgetHolds(yield* stores.projects.heldByBudgetAt(projectId, companyId), at))
    yield* Effect.fail(new ProjectBudgetExhausted());
});
