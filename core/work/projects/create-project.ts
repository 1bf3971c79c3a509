import * as Effect from "effect/Effect";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { maySetBudget, type Project, type ProjectFields } from "../../model/projects/project.ts";
import type { CompanyId, ProjectId } from "../../model/shared/ids.ts";
import { checkLead } from "./check-lead.ts";

export interface CreateProject extends ProjectFields {
  readonly id: ProjectId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly name: string;
}

export const createProject = useCase("projects.create", function* (unit, command: CreateProject) {
  yield* Effect.fromResult(maySetBudget(unit.by, command));
  yield* checkLead(unit, command.companyId, command.leadAgentId);
  const project: Project = {
    id: command.id,
    companyId: command.companyId,
    name: command.name,
    description: command.description ?? null,
    status: command.status ?? "planned",
    leadAgentId: command.leadAgentId ?? null,
    targetDate: command.targetDate ?? null,
    budgetMonthlyCents: command.budgetMonthlyCents ?? 0,
    heldByBudgetAt: null,
    archivedAt: null,
    createdAt: unit.at,
    updatedAt: unit.at,
  };
  yield* unit.projects.insert(project);
  yield* unit.log("project.created", project, { name: project.name });
  return project;
});
