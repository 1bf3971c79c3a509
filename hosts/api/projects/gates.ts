import * as Effect from "effect/Effect";
import { z } from "zod";
import { UserNotAssignable } from "../../../core/access/person.ts";
import { AgentNotAssignable } from "../../../core/agents/named-agent.ts";
import { gateKinds } from "../../../core/projects/gate.ts";
import { ProjectNotFound } from "../../../core/projects/project.ts";
import { ReferenceNotFound, ValidationFailed } from "../../../core/shared/failure.ts";
import { acting, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { AgentReference, Name, UserReference, upTo } from "../endpoint/values.ts";
import { NamedGateShape } from "./gate-shapes.ts";

/** The gates of a project. */
export const projectGates = {
  gates: endpoint({
    method: "GET",
    path: "/api/projects/{projectId}/gates",
    summary: "List the gates of a project",
    description: "What must be true before an issue of the project is done, in the order given.",
    access: inCompanyOf("project", "viewer"),
    returns: z.array(NamedGateShape).readonly(),
    failures: [],
    run: ({ projects }, input) => projects.gates(input),
  }),
  setGates: endpoint({
    method: "PUT",
    path: "/api/projects/{projectId}/gates",
    summary: "Set the gates of a project",
    description:
      "Replaces all. clean: the last run left nothing uncommitted. published: its commits are on the issue's branch, which all agents of the project read. command: its command succeeded at the last commit. checks: the checks of its pull request passed for the last commit. review: the agent or person named approved the present commits. Issues that are done stay so.",
    access: acting("project", "manageGates"),
    body: z.strictObject({
      gates: z
        .array(
          z.strictObject({
            name: Name,
            kind: z.enum(gateKinds),
            reviewerAgentId: AgentReference.nullable().optional().describe("Of a review, or reviewerUserId."),
            reviewerUserId: UserReference.nullable().optional().describe("Of a review, or reviewerAgentId."),
            command: upTo(10_000)
              .min(1)
              .nullable()
              .optional()
              .describe("Of a command: for /bin/sh, in the agents' sandbox, in a workspace at the commits."),
            timeoutSec: z.number().int().min(1).max(3_600).nullable().optional().describe("Default 600."),
            maxWakes: z
              .number()
              .int()
              .min(0)
              .max(100)
              .nullable()
              .optional()
              .describe("How often failures wake the agent before they wait for a person. Default 3."),
          }),
        )
        .max(20),
    }),
    returns: z.array(NamedGateShape).readonly(),
    failures: [AgentNotAssignable, ProjectNotFound, ReferenceNotFound, UserNotAssignable, ValidationFailed],
    run: ({ projects }, input, { by }) =>
      projects.setGates({ ...input, by }).pipe(Effect.andThen(projects.gates(input))),
  }),
};
