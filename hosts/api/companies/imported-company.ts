import { z } from "zod";
import { AgentShape } from "../agents/agent-shapes.ts";
import { hireFields } from "../approvals/approval-payloads.ts";
import { approvals } from "../approvals/approvals.ts";
import { pathParams } from "../endpoint/params.ts";
import { FreeObject } from "../endpoint/values.ts";
import { goals } from "../goals/goals.ts";
import { documents } from "../issues/documents.ts";
import { interactions } from "../issues/interactions.ts";
import { issues } from "../issues/issues.ts";
import { labels } from "../issues/labels.ts";
import { McpServerShape } from "../mcp-servers/mcp-server-shapes.ts";
import { AskedGates } from "../projects/gate-shapes.ts";
import { projects } from "../projects/projects.ts";
import { repositories } from "../projects/repositories.ts";
import { routines } from "../routines/routines.ts";
import { triggers } from "../routines/triggers.ts";
import { runs } from "../runs/runs.ts";
import { secrets } from "../secrets/secrets.ts";
import { vaults } from "../secrets/vaults.ts";
import { companies } from "./companies.ts";

type Fields = Readonly<Record<string, z.ZodType>>;

const bodyOf = ({ body }: { readonly body: unknown }): Fields => (body as z.ZodObject).shape;

/** The shapes of bodies for the rows of each table of a file, by the names of its columns in a body. */
export const rowShapes: Readonly<Record<string, Fields>> = {
  companies: bodyOf(companies.update),
  house_rules: bodyOf(companies.setHouseRules),
  labels: bodyOf(labels.create),
  goals: bodyOf(goals.create),
  projects: bodyOf(projects.create),
  issue_gates: AskedGates.element.shape,
  project_gates: AskedGates.element.shape,
  repositories: bodyOf(repositories.create),
  issues: bodyOf(issues.create),
  comments: bodyOf(issues.comment),
  documents: bodyOf(documents.put),
  document_revisions: bodyOf(documents.put),
  interactions: bodyOf(interactions.create),
  routines: bodyOf(routines.create),
  routine_triggers: bodyOf(triggers.addTrigger),
  secrets: bodyOf(secrets.create),
  vaults: bodyOf(vaults.create),
  approvals: { ...bodyOf(approvals.create), ...bodyOf(approvals.approve) },
  approval_comments: bodyOf(approvals.comment),
  run_messages: bodyOf(runs.say),
};

const { name, role, title, capabilities } = hireFields;

/** The records of a file that are checked as a whole, in the form in which they are stored. */
export const recordShapes = {
  agent: z.object({
    name,
    role: role.unwrap(),
    title: title.unwrap(),
    capabilities: capabilities.unwrap(),
    adapterType: pathParams.adapterType.schema,
    adapterConfig: FreeObject,
    runtimeConfig: AgentShape.shape.runtimeConfig.extend({
      runner: pathParams.runnerName.schema.optional(),
    }),
    metadata: FreeObject.nullable(),
    urlKey: z
      .string()
      .max(500)
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  }),
  runner: pathParams.runnerName.schema.nullable(),
  mcpServer: McpServerShape.pick({ args: true, headers: true, env: true, tools: true }),
};
