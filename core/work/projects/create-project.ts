import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactAs } from "../../access/transact-as.ts";
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

export const createProject = (transactor: Transactor, clock: Clock) => (command: CreateProject) =>
  transactAs(transactor, command.by, function* (stores) {
    yield* Effect.fromResult(maySetBudget(command.by, command));
    const at = clock.now();
    yield* checkLead(stores, command.companyId, command.leadAgentId);
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
      createdAt: at,
      updatedAt: at,
    };
    yield* stores.projects.insert(project);
    yield* logAction(stores, project, command.by, at, "project.created", { name: project.name });
    return project;
  });
