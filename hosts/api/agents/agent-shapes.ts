import { z } from "zod";
import { leastIntervalSec } from "../../../core/model/agents/agent-config.ts";
import { agentStatuses } from "../../../core/model/agents/agent-status.ts";
import {
  type ReasonCode,
  situationReasons,
  situationStates,
} from "../../../core/model/agents/situation-reasons.ts";
import { maxRuleCommand, maxRules } from "../../../core/model/issues/interactions/permission-rule.ts";
import { CallerMayShape } from "../endpoint/caller-may.ts";
import {
  free,
  id,
  reference,
  requireStorable,
  ShortText,
  Timestamp,
  upTo,
  when,
} from "../endpoint/values.ts";
import { WorkspaceShape } from "../volumes/volume-shapes.ts";

const SecretRef = z.strictObject({
  type: z.literal("secret_ref"),
  secretId: z.uuid(),
  version: z
    .union([z.literal("latest"), z.number().int().min(1)])
    .default("latest")
    .describe("latest: the newest version, also after a rotation."),
});

const EnvBinding = z.union(
  [z.string(), z.strictObject({ type: z.literal("plain"), value: z.string() }), SecretRef, z.null()],
  {
    error:
      'must be text, {"type": "plain", "value": text}, {"type": "secret_ref", "secretId": id, "version": "latest" or a number from 1}, or null',
  },
);

export const AdapterConfigInput = z
  .looseObject({
    env: z
      .record(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a name of an environment variable"),
        EnvBinding,
      )
      .nullable()
      .optional(),
  })
  .superRefine(requireStorable)
  .describe("Settings of the adapter; `env` maps names of environment variables to values, or to secrets.");

const heartbeatFields = {
  enabled: z.boolean(),
  intervalSec: z.number().int().min(leastIntervalSec).max(31_536_000),
  onlyWithWork: z
    .boolean()
    .describe("Timer: start no run if the agent has no issue that it can continue. Default false."),
  wakeOnDemand: z.boolean(),
  maxConcurrentRuns: z.number().int().min(1).max(50),
};

const MaxCostCents = z
  .number()
  .int()
  .min(1)
  .max(Number.MAX_SAFE_INTEGER)
  .describe("The cost cap of one run: a run that reaches it is stopped. Default: no cap.");

const RunnerName = ShortText.describe(
  "Where its programs run: local, or a template of the operator. Default: the company's, else the service's.",
);

const AlwaysAllow = z
  .array(
    z.strictObject({
      tool: ShortText.describe("The program's name of the tool."),
      command: upTo(maxRuleCommand).min(1),
      path: upTo(4_096).nullable(),
    }),
  )
  .max(maxRules)
  .describe(
    "What its programs may do without asking people again. Send the list without an entry to revoke it.",
  );

export const RuntimeConfigInput = z.strictObject({
  runner: RunnerName.optional(),
  heartbeat: z.strictObject(heartbeatFields).partial().optional(),
  maxCostCents: MaxCostCents.optional(),
});

type OrNull<Fields extends z.ZodRawShape> = {
  [Name in keyof Fields]: z.ZodOptional<z.ZodNullable<Fields[Name]>>;
};

const orNull = <Fields extends Record<string, z.ZodType>>(fields: Fields): OrNull<Fields> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.nullable().optional()]),
  ) as OrNull<Fields>;

/** A change of the runtime configuration: `null` deletes. */
export const RuntimeConfigPatchInput = z.strictObject({
  runner: RunnerName.nullable().optional(),
  heartbeat: z.strictObject(orNull(heartbeatFields)).nullable().optional(),
  maxCostCents: MaxCostCents.nullable().optional(),
  alwaysAllow: AlwaysAllow.nullable().optional(),
});

const configFields = {
  name: z.string(),
  role: z.string(),
  title: z.string().nullable(),
  reportsTo: id.nullable(),
  capabilities: z.string().nullable(),
  adapterType: z.string(),
  adapterConfig: free.describe(
    "Plain values of variables are shown as what they are; a reference to a secret shows none.",
  ),
  runtimeConfig: z.object({
    runner: z.string().optional(),
    heartbeat: z
      .object({
        enabled: z.boolean().optional(),
        intervalSec: z.number().optional(),
        onlyWithWork: z.boolean().optional(),
        wakeOnDemand: z.boolean().optional(),
        maxConcurrentRuns: z.number().optional(),
      })
      .optional(),
    maxCostCents: z.number().optional(),
    alwaysAllow: z
      .array(z.object({ tool: z.string(), command: z.string(), path: z.string().nullable() }))
      .readonly()
      .optional()
      .describe("What its programs may do without asking people again."),
  }),
  budgetMonthlyCents: z.number(),
  metadata: free.nullable(),
};

/** The run that an agent carries out. */
export const CurrentRunShape = z.object({
  id,
  issueId: id.nullable(),
  issueIdentifier: z.string().nullable(),
  issueTitle: z.string().nullable(),
  wakeReason: z.string(),
  startedAt: Timestamp,
});

export const AgentShape = z.object({
  id,
  companyId: id,
  urlKey: z.string(),
  ...configFields,
  status: z.enum(agentStatuses),
  pauseReason: z.enum(["manual", "budget", "company"]).nullable(),
  errorReason: z.string().nullable(),
  currentRun: CurrentRunShape.nullable().describe(
    "What it works on now; where it has several runs, the one that began first.",
  ),
  workspace: WorkspaceShape.nullable().describe(
    "Where its runs on the hosts of services work; null before the first.",
  ),
  spentMonthlyCents: z.number(),
  lastHeartbeatAt: when,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  callerMay: CallerMayShape("agent").optional().describe("In a list, where callerMay was asked for."),
});

export const AgentDetailShape = AgentShape.extend({
  callerMay: CallerMayShape("agent"),
  chainOfCommand: z
    .array(z.object({ id, name: z.string(), role: z.string(), title: z.string().nullable() }))
    .readonly()
    .describe("Nearest manager first."),
  warnings: z
    .array(z.string())
    .readonly()
    .describe("For example a bound secret that is too short to be masked."),
});

/** The work of an agent, or why it does none. */
export const SituationShape = z.object({
  state: z
    .enum(situationStates)
    .describe(
      "working: a run is running. starting: a run starts at the next check of a service. waiting: it has work that something stops for now. held: nothing of it starts.",
    ),
  sentence: z.string().describe("The strongest reason."),
  reasons: z
    .array(
      z.object({
        code: z.enum(Object.keys(situationReasons) as [ReasonCode, ...ReasonCode[]]),
        sentence: z.string(),
        needsPerson: z.boolean().describe("Whether nothing changes until a person does something."),
        since: when,
        until: when.describe("When it ends by itself, where that is known."),
        links: z
          .array(z.object({ kind: z.enum(["issue", "run", "approval"]), id, label: z.string() }))
          .readonly()
          .describe("What it is about, in the order of the sentence."),
      }),
    )
    .readonly()
    .describe("The strongest first; at least one."),
  next: z
    .object({ sentence: z.string(), at: when })
    .describe("What starts its next run, if no person does anything about the reasons."),
});

export const AgentExplanationShape = z.object({
  situation: SituationShape.describe("What it does now and why, and what wakes it next."),
  today: z
    .object({
      since: Timestamp.describe("The beginning of the day (UTC)."),
      runs: z.object({
        started: z.number(),
        succeeded: z.number(),
        failed: z.number(),
        timed_out: z.number(),
        cancelled: z.number(),
        interrupted: z.number(),
      }),
      comments: z.number(),
      done: z.array(z.object({ id, identifier: z.string(), title: z.string() })).readonly(),
      costCents: z.number(),
      unknownCostEventCount: z.number().describe("Events of unknown cost, in no sum."),
    })
    .describe("What it did today."),
});

export const AgentKeyShape = z.object({
  id,
  agentId: id,
  name: z.string(),
  createdAt: Timestamp,
  lastUsedAt: when,
  revokedAt: when,
});

export const NewAgentKeyShape = z.object({
  id,
  agentId: id,
  name: z.string(),
  token: z.string().describe("Shown only in this answer."),
  createdAt: Timestamp,
});

export const AgentConfigRevisionShape = z.object({
  id,
  companyId: id,
  agentId: id,
  source: z.enum(["create", "patch", "rollback"]),
  rolledBackFromRevisionId: id.nullable(),
  changedKeys: z.array(z.string()).readonly(),
  beforeConfig: z.object(configFields).nullable(),
  afterConfig: z.object(configFields),
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  createdAt: Timestamp,
});

export interface OrgNodeShape {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly title: string | null;
  readonly status: (typeof agentStatuses)[number];
  readonly reports: readonly OrgNodeShape[];
}

export const OrgNode: z.ZodType<OrgNodeShape> = z.object({
  id,
  name: z.string(),
  role: z.string(),
  title: z.string().nullable(),
  status: z.enum(agentStatuses),
  get reports() {
    return z.array(OrgNode).readonly();
  },
});

export const SkillShape = z.object({
  key: z.string().describe("Its name in desiredSkills."),
  runtimeName: z.string().describe("Its name in the agent's program."),
  desired: z.boolean(),
  managed: z.boolean().describe("Whether the service installs and removes it."),
  state: z
    .enum(["available", "configured", "installed", "missing", "stale", "external"])
    .describe(
      "available: in the catalogue. configured: the next run has it. missing: desired, but no longer in the catalogue. external: installed outside the service.",
    ),
  origin: z.enum(["company_managed", "user_installed", "external_unknown"]).optional(),
  originLabel: z.string().optional(),
  locationLabel: z.string().optional(),
  readOnly: z.boolean().optional(),
  sourcePath: z.string().optional(),
  targetPath: z.string().optional(),
  detail: z.string().optional(),
});

export const OfferedSkillsShape = z.object({
  skills: z
    .array(z.object({ key: z.string().describe("Its name in desiredSkills."), description: z.string() }))
    .readonly(),
  problems: z.array(z.string()).readonly().describe("A sentence for each unusable entry of the catalogue."),
});

export const SkillsShape = z.object({
  adapterType: z.string(),
  supported: z.boolean(),
  mode: z
    .enum(["unsupported", "persistent", "ephemeral"])
    .describe("ephemeral: installed for each run at its start. persistent: stays installed for the program."),
  desiredSkills: z.array(z.string()).readonly(),
  entries: z.array(SkillShape).readonly(),
  warnings: z.array(z.string()).readonly(),
});

/** The board names an agent by urlKey with `?companyId=`; for agents it is their own company. */
export const byUrlKey = z.strictObject({
  companyId: reference().optional().describe("Company of the urlKey; for an agent its own."),
});
