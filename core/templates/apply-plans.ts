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

/** An existing label stays as it is. */
export const applyLabel = ({ context, companyId, by, ids }: Applying, { name, color }: DeclaredLabel) => {
  const id = context.ids.newId<"label">();
  ids.labels.set(labelKeyOf(name), id);
  return createLabel(context)({ id, companyId, by, name, color });
};

export const removeLabel = ({ context, by, ids }: Applying, key: string) =>
  deleteLabel(context)({ labelId: ids.labels.get(key)!, by });

export const applyGoal = (
  { context, companyId, by, ids }: Applying,
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
    return Effect.asVoid(updateGoal(context)({ ...fields, goalId: ids.goals.get(goal.key)! }));
  const id = context.ids.newId<"goal">();
  ids.goals.set(goal.key, id);
  return Effect.asVoid(createGoal(context)({ ...fields, id, companyId }));
};

export const removeGoal = ({ context, by, ids }: Applying, key: string) =>
  archiveGoal(context)({ goalId: ids.goals.get(key)!, by });

export const applyProject = (
  { context, companyId, by, ids }: Applying,
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
    return Effect.asVoid(updateProject(context)({ ...fields, projectId: ids.projects.get(project.key)! }));
  const id = context.ids.newId<"project">();
  ids.projects.set(project.key, id);
  return Effect.asVoid(createProject(context)({ ...fields, id, companyId }));
};

export const removeProject = ({ context, by, ids }: Applying, key: string) =>
  archiveProject(context)({ projectId: ids.projects.get(key)!, by });
