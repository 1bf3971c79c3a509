import * as Effect from "effect/Effect";
import { z } from "zod";
import { UserNotAssignable } from "../../../core/model/access/person.ts";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { ProjectNotFound } from "../../../core/model/projects/project.ts";
import { ReferenceNotFound, ValidationFailed } from "../../../core/model/shared/failure.ts";
import { GateNotRunnable } from "../../../core/work/projects/checked-gates.ts";
import { acting, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { AskedGates, NamedGateShape } from "./gate-shapes.ts";

/** The gates of a project. */
export const projectGates = {
  gates: endpoint({
    method: "GET",
    path: "/api/projects/{projectId}/gates",
    summary: "List the gates of a project",
    description:
      "What must be true before an issue of the project is done that has no gates of its own, in the order given.",
    access: inCompanyOf("project", "viewer"),
    returns: z.array(NamedGateShape).readonly(),
    run: ({ projects }, input) => projects.gates(input),
  }),
  setGates: endpoint({
    method: "PUT",
    path: "/api/projects/{projectId}/gates",
    summary: "Set the gates of a project",
    description:
      "Replaces all. clean: the last run left nothing uncommitted. published: its commits are on the issue's branch, which all agents of the project read. command: its command succeeded at the last commit, which needs a repository of the mode issue. checks: the checks of its pull request passed for the last commit. review: the agent or person named approved the present commits. Issues that are done stay so, and those with gates of their own keep them.",
    access: acting("project", "manageGates"),
    body: z.strictObject({ gates: AskedGates }),
    returns: z.array(NamedGateShape).readonly(),
    failures: [
      AgentNotAssignable,
      GateNotRunnable,
      ProjectNotFound,
      ReferenceNotFound,
      UserNotAssignable,
      ValidationFailed,
    ],
    run: ({ projects }, input, { by }) =>
      projects.setGates({ ...input, by }).pipe(Effect.andThen(projects.gates(input))),
  }),
};
