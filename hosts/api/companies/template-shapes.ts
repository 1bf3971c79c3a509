import { z } from "zod";
import { mostHouseRules } from "../../../core/model/companies/house-rules.ts";
import { goalLevels, goalStatuses } from "../../../core/model/goals/goal.ts";
import { priorities } from "../../../core/model/issues/issue-status.ts";
import { projectStatuses } from "../../../core/model/projects/project.ts";
import { catchUpPolicies, concurrencyPolicies } from "../../../core/model/routines/routine.ts";
import { signingModes, triggerKinds } from "../../../core/model/routines/trigger.ts";
import { RuntimeConfigInput } from "../agents/agent-shapes.ts";
import {
  Cents,
  Day,
  FreeObject,
  free,
  Name,
  requireStorable,
  ShortText,
  Text,
  upTo,
} from "../endpoint/values.ts";
import { triggerFields } from "../routines/routine-shapes.ts";
import { AgentCausedRunLimit } from "./company-shapes.ts";

// Input ---------------------------------------------------------------------------------------------------

const Key = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/, "must be lower-case letters, digits and single hyphens")
  .describe(
    "The name in lower case with hyphens: `weekly-report`; a second one of the same name is `weekly-report-2`.",
  );

const EnvValue = z.union([z.string(), z.strictObject({ secret: z.string().min(1).max(120) })], {
  error: 'must be text, or {"secret": key of a secret}',
});

/** The settings of an adapter, in which variables name secrets by their keys. */
const TemplateConfigInput = z
  .looseObject({
    env: z
      .record(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a name of an environment variable"),
        EnvValue,
      )
      .optional(),
    instructions: z.never({ error: "belongs into the instructions of the agent" }).optional(),
    desiredSkills: z.never({ error: "belongs into the skills of the agent" }).optional(),
  })
  .superRefine(requireStorable);

const most = 1000;

/** A template as it is sent. A missing field leaves the value unchanged; a missing list leaves its records alone. */
export const TemplateInput = z.strictObject({
  company: z
    .strictObject({
      name: Name.optional().describe("For people: it names no company and changes none."),
      description: Text.nullable().optional(),
      budgetMonthlyCents: Cents.optional(),
      agentCausedRunLimit: AgentCausedRunLimit.optional(),
      runner: ShortText.nullable().optional(),
      houseRules: upTo(mostHouseRules).min(1).nullable().optional().describe("Markdown; null removes them."),
    })
    .optional(),
  labels: z
    .array(
      z.strictObject({
        name: Name.max(100),
        color: z
          .string()
          .regex(/^#[0-9a-fA-F]{6}$/, "must be #rrggbb")
          .nullable()
          .optional(),
      }),
    )
    .max(most)
    .optional(),
  agents: z
    .array(
      z.strictObject({
        key: Key,
        name: Name,
        role: Name.optional(),
        title: Name.nullable().optional(),
        reportsTo: Key.nullable().optional(),
        capabilities: Text.nullable().optional(),
        instructions: Text.nullable().optional(),
        skills: z.array(ShortText).max(100).optional(),
        adapterType: ShortText,
        adapterConfig: TemplateConfigInput.optional(),
        runtimeConfig: RuntimeConfigInput.optional(),
        budgetMonthlyCents: Cents.optional(),
        metadata: FreeObject.nullable().optional(),
      }),
    )
    .max(most)
    .optional(),
  goals: z
    .array(
      z.strictObject({
        key: Key,
        title: Name,
        description: Text.nullable().optional(),
        level: z.enum(goalLevels).optional(),
        status: z.enum(goalStatuses).optional(),
        parent: Key.nullable().optional(),
        owner: Key.nullable().optional(),
      }),
    )
    .max(most)
    .optional(),
  projects: z
    .array(
      z.strictObject({
        key: Key,
        name: Name,
        description: Text.nullable().optional(),
        status: z.enum(projectStatuses).optional(),
        lead: Key.nullable().optional(),
        targetDate: Day.nullable().optional(),
        budgetMonthlyCents: Cents.optional(),
      }),
    )
    .max(most)
    .optional(),
  routines: z
    .array(
      z.strictObject({
        key: Key,
        title: Name,
        description: Text.nullable().optional(),
        assignee: Key,
        project: Key,
        goal: Key.nullable().optional(),
        priority: z.enum(priorities).optional(),
        status: z.enum(["active", "paused"]).optional(),
        concurrencyPolicy: z.enum(concurrencyPolicies).optional(),
        catchUpPolicy: z.enum(catchUpPolicies).optional(),
        triggers: z
          .array(z.strictObject({ kind: z.enum(triggerKinds), ...triggerFields }))
          .max(100)
          .optional(),
      }),
    )
    .max(most)
    .optional(),
});

// Output --------------------------------------------------------------------------------------------------

export const TemplateShape = z.object({
  company: z.object({
    name: z.string(),
    description: z.string().nullable(),
    budgetMonthlyCents: z.number(),
    agentCausedRunLimit: z.number(),
    runner: z.string().nullable(),
    houseRules: z.string().nullable(),
  }),
  labels: z.array(z.object({ name: z.string(), color: z.string().nullable() })).readonly(),
  agents: z
    .array(
      z.object({
        key: z.string(),
        name: z.string(),
        role: z.string(),
        title: z.string().nullable(),
        reportsTo: z.string().nullable(),
        capabilities: z.string().nullable(),
        instructions: z.string().nullable(),
        skills: z.array(z.string()).readonly(),
        adapterType: z.string(),
        adapterConfig: free.describe('Variables that get their value from a secret: `{"secret": key}`.'),
        runtimeConfig: RuntimeConfigInput,
        budgetMonthlyCents: z.number(),
        metadata: free.nullable(),
      }),
    )
    .readonly(),
  goals: z
    .array(
      z.object({
        key: z.string(),
        title: z.string(),
        description: z.string().nullable(),
        level: z.enum(goalLevels),
        status: z.enum(goalStatuses),
        parent: z.string().nullable(),
        owner: z.string().nullable(),
      }),
    )
    .readonly(),
  projects: z
    .array(
      z.object({
        key: z.string(),
        name: z.string(),
        description: z.string().nullable(),
        status: z.enum(projectStatuses),
        lead: z.string().nullable(),
        targetDate: z.string().nullable(),
        budgetMonthlyCents: z.number(),
      }),
    )
    .readonly(),
  routines: z
    .array(
      z.object({
        key: z.string(),
        title: z.string(),
        description: z.string().nullable(),
        assignee: z.string(),
        project: z.string(),
        goal: z.string().nullable(),
        priority: z.enum(priorities),
        status: z.enum(["active", "paused"]),
        concurrencyPolicy: z.enum(concurrencyPolicies),
        catchUpPolicy: z.enum(catchUpPolicies),
        triggers: z
          .array(
            z.object({
              kind: z.enum(triggerKinds),
              label: z.string().nullable(),
              enabled: z.boolean(),
              cronExpression: z.string().optional(),
              timezone: z.string().optional(),
              signingMode: z.enum(signingModes).optional(),
              replayWindowSec: z.number().optional(),
            }),
          )
          .readonly(),
      }),
    )
    .readonly(),
});

export const CompanyTemplateShape = z.object({
  template: TemplateShape,
  omitted: z
    .array(z.string())
    .readonly()
    .describe("Settings that may be secrets in clear, and routines without an active agent or project."),
});

export const ShippedTemplateShape = z.object({ key: z.string(), template: TemplateInput });

const outcome = {
  changes: z
    .array(
      z.object({
        kind: z.enum(["company", "label", "agent", "goal", "project", "routine"]),
        key: z.string(),
        action: z.enum(["create", "update", "remove"]),
        fields: z
          .array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() }))
          .readonly()
          .describe("The fields that an update changes."),
      }),
    )
    .readonly(),
  wanted: z
    .object({
      adapters: z.array(z.string()).readonly().describe("Not loaded. Nothing is applied without them."),
      runners: z.array(z.string()).readonly().describe("Not there. Nothing is applied without them."),
      secrets: z
        .array(z.string())
        .readonly()
        .describe("Not there. Their variables are left out until the template is applied again."),
      skills: z.array(z.string()).readonly().describe("Not on offer so far."),
    })
    .describe("What the template needs, and is missing."),
  refused: z
    .object({ code: z.string(), error: z.string() })
    .nullable()
    .describe("Of a dry run: why it would be refused; otherwise null."),
};

export const AppliedTemplateShape = z.object(outcome);

export const ImportedCompanyShape = z.object({
  companyId: z.uuid().nullable().describe("null: a dry run."),
  ...outcome,
});
