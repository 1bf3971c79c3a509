import * as Effect from "effect/Effect";
import { useCase } from "../../access/unit-of-work.ts";
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

export const updateProject = useCase("projects.update", function* (unit, command: UpdateProject) {
  yield* Effect.fromResult(maySetBudget(unit.by, command));
  const before = yield* unit.projects.lock(command.projectId);
  yield* checkLead(unit, before.companyId, command.leadAgentId);
  const { after, changed } = patched(before, command, projectFields, unit.at);
  if (changed.length === 0) return before;
  yield* unit.projects.save(after);
  yield* unit.log("project.updated", after, { changed, differences: differencesOf(before, after, changed) });
  if (!changed.includes("budgetMonthlyCents")) return after;
  const spend = yield* unit.costs.spent(after.id, monthOf(unit.at));
  return yield* applyProjectBudget(unit, after, spend);
});
