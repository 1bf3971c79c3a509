import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactAs } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import { differencesOf } from "../../model/activity/differences.ts";
import { maySetBudget, type ProjectFields, projectFields } from "../../model/projects/project.ts";
import type { ProjectId } from "../../model/shared/ids.ts";
import { monthOf } from "../../model/shared/instant.ts";
import { patched } from "../../model/shared/patch.ts";
import { applyProjectBudget } from "../../money/apply-budget.ts";
import { checkLead } from "./check-lead.ts";

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
