import * as Effect from "effect/Effect";
import { z } from "zod";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { ProjectNotFound, projectStatuses } from "../../../core/model/projects/project.ts";
import { NotAllowed, ReferenceNotFound } from "../../../core/model/shared/failure.ts";
import type { ProjectId } from "../../../core/model/shared/ids.ts";
import { acting, inCompany, inCompanyOf, verified } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { AgentReference, Cents, Day, Flag, Name, Text } from "../endpoint/values.ts";
import { ProjectShape } from "./project-shapes.ts";

const fields = {
  description: Text.nullable().optional(),
  status: z.enum(projectStatuses).optional(),
  leadAgentId: AgentReference.nullable().optional(),
  targetDate: Day.nullable().optional(),
  budgetMonthlyCents: Cents.optional().describe("0: no limit. Only the board sets it."),
};

export const projects = {
  list: pageEndpoint({
    path: "/api/companies/{companyId}/projects",
    summary: "List the projects of a company",
    description: "Newest first.",
    access: inCompany("viewer"),
    query: { archived: Flag.optional().describe("true: archived ones too.") },
    limits: { default: 500, max: 1000 },
    row: ProjectShape,
    run: ({ projects }, { companyId, archived, limit, cursor }, { caller }) =>
      projects.list(companyId, archived ?? false, { limit, cursor }, caller),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/projects",
    summary: "Create a project",
    description: "Default status planned. leadAgentId must be an agent of the company; it is not woken.",
    access: acting("company", "createProject"),
    body: z.strictObject({ name: Name, ...fields }),
    returns: ProjectShape,
    status: 201,
    failures: [AgentNotAssignable, NotAllowed, ReferenceNotFound],
    creates: {
      again: ({ projects }, id, { caller }) => projects.show(id as ProjectId, caller).pipe(Effect.orDie),
    },
    run: ({ projects }, input, { by, caller, newId }) =>
      projects
        .create({ ...input, id: newId<ProjectId>(), by })
        .pipe(Effect.flatMap(({ id }) => projects.show(id, caller).pipe(Effect.orDie))),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/projects/{projectId}",
    summary: "Show a project",
    access: inCompanyOf("project", "viewer"),
    returns: ProjectShape,
    failures: [ProjectNotFound],
    run: ({ projects }, { projectId }, { caller }) => projects.show(projectId, caller),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/projects/{projectId}",
    summary: "Change a project",
    description:
      "Omitted fields stay unchanged. The status is informational: it changes no issue. When the month's budget is used up, the runs on its issues are ended and none starts; a higher budget or a new month wakes their assignees again.",
    access: acting("project", "update"),
    body: z.strictObject({ name: Name.optional(), ...fields }),
    returns: ProjectShape,
    failures: [AgentNotAssignable, NotAllowed, ProjectNotFound, ReferenceNotFound],
    run: ({ projects }, input, { by, caller }) =>
      projects.update({ ...input, by }).pipe(Effect.flatMap(({ id }) => projects.show(id, caller))),
  }),
  archive: endpoint({
    method: "POST",
    path: "/api/projects/{projectId}/archive",
    summary: "Archive a project",
    description: "Lists omit it unless `archived` is true. Its issues stay unchanged. It cannot be undone.",
    access: verified(acting("project", "archive")),
    returns: ProjectShape,
    failures: [ProjectNotFound],
    run: ({ projects }, { projectId }, { by, caller }) =>
      projects.archive({ projectId, by }).pipe(Effect.flatMap(({ id }) => projects.show(id, caller))),
  }),
};
