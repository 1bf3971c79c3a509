import * as Effect from "effect/Effect";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { refusalOfHold } from "../model/issues/issue-actions.ts";
import type { CompanyId, ProjectId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";

/**
 * Refuses an agent that starts an issue while a hold stops its work on it. A hold stops work, not bookkeeping: people may check
 * out, move and assign meanwhile, and the agent's work starts when the hold is lifted.
 */
export const requireNoHold = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  agent: AgentInCompany,
  issue: { readonly companyId: CompanyId; readonly projectId?: ProjectId | null | undefined },
) {
  if (unit.by.kind !== "agent") return;
  const refusal = refusalOfHold(agent, {
    companyStatus: agent.companyStatus,
    projectHeldByBudgetAt: yield* projectHold(unit, issue),
    at: unit.at,
  });
  if (refusal !== null) yield* Effect.fail(refusal);
});

/** Since when the budget of the issue's project is used up. */
export const projectHold = (
  stores: Stores,
  {
    companyId,
    projectId,
  }: { readonly companyId: CompanyId; readonly projectId?: ProjectId | null | undefined },
): Effect.Effect<Instant | null> =>
  projectId ? stores.projects.heldByBudgetAt(projectId, companyId) : Effect.succeed(null);
