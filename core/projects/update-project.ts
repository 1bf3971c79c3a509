import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import { differencesOf } from "../activity/differences.ts";
import { logAction } from "../activity/log-action.ts";
import { applyProjectBudget } from "../costs/apply-budget.ts";
import type { ProjectId } from "../shared/ids.ts";
import { monthOf } from "../shared/instant.ts";
import { patched } from "../shared/patch.ts";
import { checkLead } from "./check-lead.ts";
import { maySetBudget, type ProjectFields, projectFields } from "./project.ts";

export interface UpdateProject extends ProjectFields {
  readonly projectId: ProjectId;
  readonly by: Actor;
}

export const updateProject = (transactor: Transactor, clock: Clock, ids: Ids) => (command: UpdateProject) =>
  transactAs(transactor, command.by, function* (stores) {
    yield* Effect.fromResult(maySetBudget(command.by, command));
    const before = yield* stores.projects.lock(command.projectId);
    yield* checkLead(stores, before.companyId, command.leadAgentId);
    const at = clock.now();
    const { after, changed } = patched(before, command, projectFields, at);
    if (changed.length === 0) return before;
    yield* stores.projects.save(after);
    yield* logAction(stores, after, command.by, at, "project.updated", {
      changed,
      differences: differencesOf(before, after, changed),
    });
    if (!changed.includes("budgetMonthlyCents")) return after;
    const spend = yield* stores.costs.spent(after.id, monthOf(at));
    return yield* applyProjectBudget(stores, ids, after, spend, at);
  });
