import * as Effect from "effect/Effect";
import type {
  DeclaredGoal,
  DeclaredLabel,
  DeclaredProject,
  TemplateGoal,
  TemplateProject,
} from "../model/templates/company-template.ts";
import { labelKeyOf } from "../model/templates/describe-company.ts";
import { archiveGoal } from "../work/goals/archive-goal.ts";
import { createGoal } from "../work/goals/create-goal.ts";
import { updateGoal } from "../work/goals/update-goal.ts";
import { createLabel } from "../work/labels/create-label.ts";
import { deleteLabel } from "../work/labels/delete-label.ts";
import { archiveProject } from "../work/projects/archive-project.ts";
import { createProject } from "../work/projects/create-project.ts";
import { updateProject } from "../work/projects/update-project.ts";
import { type Applying, idOf } from "./applying.ts";

/** A label that is there stays as it is. */
export const applyLabel = (
  { ports, transactor, companyId, by, ids }: Applying,
  { name, color }: DeclaredLabel,
) => {
  const id = ports.ids.next<"label">();
  ids.labels.set(labelKeyOf(name), id);
  return createLabel({ ...ports, transactor })({ id, companyId, by, name, color });
};

export const removeLabel = ({ ports, transactor, by, ids }: Applying, key: string) =>
  deleteLabel({ ...ports, transactor })({ labelId: ids.labels.get(key)!, by });

export const applyGoal = (
  { ports, transactor, companyId, by, ids }: Applying,
  goal: DeclaredGoal,
  before: TemplateGoal | null,
) => {
  const fields = {
    title: goal.title,
    description: goal.description,
    level: goal.level,
    status: goal.status,
    parentId: idOf(ids.goals, goal.parent),
    ownerAgentId: idOf(ids.agents, goal.owner),
    by,
  };
  if (before !== null)
    return Effect.asVoid(
      updateGoal(transactor, ports.clock)({ ...fields, goalId: ids.goals.get(goal.key)! }),
    );
  const id = ports.ids.next<"goal">();
  ids.goals.set(goal.key, id);
  return Effect.asVoid(createGoal(transactor, ports.clock)({ ...fields, id, companyId }));
};

export const removeGoal = ({ ports, transactor, by, ids }: Applying, key: string) =>
  archiveGoal(transactor, ports.clock)({ goalId: ids.goals.get(key)!, by });

export const applyProject = (
  { ports, transactor, companyId, by, ids }: Applying,
  project: DeclaredProject,
  before: TemplateProject | null,
) => {
  const fields = {
    name: project.name,
    description: project.description,
    status: project.status,
    leadAgentId: idOf(ids.agents, project.lead),
    targetDate: project.targetDate,
    budgetMonthlyCents: project.budgetMonthlyCents,
    by,
  };
  if (before !== null)
    return Effect.asVoid(
      updateProject(
        transactor,
        ports.clock,
        ports.ids,
      )({ ...fields, projectId: ids.projects.get(project.key)! }),
    );
  const id = ports.ids.next<"project">();
  ids.projects.set(project.key, id);
  return Effect.asVoid(createProject(transactor, ports.clock)({ ...fields, id, companyId }));
};

export const removeProject = ({ ports, transactor, by, ids }: Applying, key: string) =>
  archiveProject(transactor, ports.clock)({ projectId: ids.projects.get(key)!, by });
