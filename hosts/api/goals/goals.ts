import * as Effect from "effect/Effect";
import { z } from "zod";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { GoalNotFound, goalLevels, goalStatuses } from "../../../core/model/goals/goal.ts";
import { ReferenceNotFound, WouldFormACycle } from "../../../core/model/shared/failure.ts";
import type { GoalId } from "../../../core/model/shared/ids.ts";
import { acting, inCompany, inCompanyOf, verified } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { AgentReference, Flag, GoalReference, Name, Text } from "../endpoint/values.ts";
import { GoalShape } from "./goal-shapes.ts";

const fields = {
  description: Text.nullable().optional(),
  level: z.enum(goalLevels).optional(),
  status: z.enum(goalStatuses).optional(),
  parentId: GoalReference.nullable().optional(),
  ownerAgentId: AgentReference.nullable().optional(),
};

export const goals = {
  list: pageEndpoint({
    path: "/api/companies/{companyId}/goals",
    summary: "List the goals of a company",
    description: "Newest first.",
    access: inCompany("viewer"),
    query: { archived: Flag.optional().describe("true: archived ones too.") },
    limits: { default: 500, max: 1000 },
    row: GoalShape,
    run: ({ views }, { companyId, archived, limit, cursor }) =>
      views.planning.goals(companyId, archived ?? false, { limit, cursor }),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/goals",
    summary: "Create a goal",
    description:
      "Default level task, status planned. parentId and ownerAgentId must be of the company; the owner is not woken.",
    access: acting("company", "writeGoals"),
    body: z.strictObject({ title: Name, ...fields }),
    returns: GoalShape,
    status: 201,
    failures: [AgentNotAssignable, ReferenceNotFound, WouldFormACycle],
    creates: { again: ({ views }, id) => views.planning.goal(id as GoalId).pipe(Effect.orDie) },
    run: ({ goals }, input, { by, newId }) => goals.create({ ...input, id: newId<GoalId>(), by }),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/goals/{goalId}",
    summary: "Show a goal",
    access: inCompanyOf("goal", "viewer"),
    returns: GoalShape,
    failures: [GoalNotFound],
    run: ({ views }, { goalId }) => views.planning.goal(goalId),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/goals/{goalId}",
    summary: "Change a goal",
    description:
      "Omitted fields stay unchanged. A parent below the goal itself is a 422. The status changes no issue.",
    access: acting("company", "writeGoals", "goal"),
    body: z.strictObject({ title: Name.optional(), ...fields }),
    returns: GoalShape,
    failures: [AgentNotAssignable, GoalNotFound, ReferenceNotFound, WouldFormACycle],
    run: ({ goals }, input, { by }) => goals.update({ ...input, by }),
  }),
  archive: endpoint({
    method: "POST",
    path: "/api/goals/{goalId}/archive",
    summary: "Archive a goal",
    description:
      "Lists omit it unless `archived` is true. Its issues and the goals below it stay unchanged. It cannot be undone.",
    access: verified(acting("company", "archiveGoals", "goal")),
    returns: GoalShape,
    failures: [GoalNotFound],
    run: ({ goals }, { goalId }, { by }) => goals.archive({ goalId, by }),
  }),
};
