import { z } from "zod";
import { roles } from "../../core/access/roles.ts";
import { agentStatuses } from "../../core/agents/agent-status.ts";
import { companyStatuses } from "../../core/companies/company.ts";
import { goalLevels, goalStatuses } from "../../core/goals/goal.ts";
import { issueStatuses, priorities } from "../../core/issues/issue-status.ts";
import { projectStatuses } from "../../core/projects/project.ts";
import { runStatuses } from "../../core/runs/run-status.ts";
import type {
  AgentId,
  CompanyId,
  GoalId,
  IssueId,
  LabelId,
  ProjectId,
  UserId,
} from "../../core/shared/ids.ts";
import { isUuid } from "../../core/shared/ids.ts";

// What goes in ---------------------------------------------------------------------------------------------------

const maxTextBytes = 512 * 1024;

/** PostgreSQL keeps no NUL, and half a surrogate pair is no text. */
const storable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed();

const notStorable = "must hold no NUL and no lone surrogate";

const maxDepth = 100;

/** Every key and every text in it, however deep; looked at level by level, because depth is the sender's to choose. */
const whyNotStorable = (value: unknown): string | null => {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return `must not be nested deeper than ${maxDepth} levels`;
    if (level.some((each) => typeof each === "string" && !storable(each))) return notStorable;
    level = level.flatMap((each) =>
      typeof each !== "object" || each === null
        ? []
        : Array.isArray(each)
          ? (each as unknown[])
          : Object.entries(each).flat(),
    );
  }
  return null;
};

const keepable = (value: unknown, context: z.RefinementCtx): void => {
  const message = whyNotStorable(value);
  if (message !== null) context.addIssue({ code: "custom", message });
};

/** Words that name something by other means than an id. */
export const Word = z.string().min(1).max(500).refine(storable, notStorable);

/** Names and titles: trimmed, not blank. */
export const Name = z
  .string()
  .trim()
  .min(1, "must not be blank")
  .max(500)
  .refine(storable, notStorable)
  .describe("Trimmed, not blank, at most 500 characters.");

/** Longer text, Markdown as a rule. */
export const Text = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= maxTextBytes, "must be at most 512 KiB")
  .refine(storable, notStorable);

/** Our calendar has no year 0, and neither has PostgreSQL's. */
const hasYear = (text: string): boolean => !text.startsWith("0000");

export const Day = z.iso.date().refine(hasYear, "has no such year").describe("A day, YYYY-MM-DD.");

export const PointInTime = z.iso
  .datetime()
  .refine(hasYear, "has no such year")
  // Asked also where the checks before it have failed.
  .overwrite((text) => (Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString()));

export const Cents = z.number().int().min(0).max(1e12).describe("Whole cents.");

export const reference = <T extends string>() =>
  z
    .custom<T>((text) => typeof text === "string" && isUuid(text), "must be a UUID")
    .meta({ type: "string", format: "uuid" });

export const AgentReference = reference<AgentId>();
export const CompanyReference = reference<CompanyId>();
export const IssueReference = reference<IssueId>();
export const ProjectReference = reference<ProjectId>();
export const GoalReference = reference<GoalId>();
export const LabelReference = reference<LabelId>();
export const UserReference = reference<UserId>();

/** A free-form object, stored as it is. */
export const FreeObject = z.record(z.string(), z.unknown()).superRefine(keepable);

const SecretRef = z.strictObject({
  type: z.literal("secret_ref"),
  secretId: z.uuid(),
  version: z
    .union([z.literal("latest"), z.number().int().min(1)])
    .default("latest")
    .describe("latest follows rotation."),
});

const EnvBinding = z.union([
  z.string(),
  z.strictObject({ type: z.literal("plain"), value: z.string() }),
  SecretRef,
  z.null(),
]);

export const AdapterConfigInput = z
  .looseObject({
    env: z
      .record(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is no name of an environment variable"),
        EnvBinding,
      )
      .optional(),
  })
  .superRefine(keepable)
  .describe("Settings of the adapter; `env` maps names of environment variables to values, or to secrets.");

export const RuntimeConfigInput = z.strictObject({
  heartbeat: z
    .strictObject({
      enabled: z.boolean().optional(),
      intervalSec: z.number().int().min(0).max(31_536_000).optional(),
      wakeOnDemand: z.boolean().optional(),
      maxConcurrentRuns: z.number().int().min(1).max(50).optional(),
    })
    .optional(),
});

export const Flag = z.enum(["true", "false"]).transform((text) => text === "true");

/** `a,b,c` in a query, each one of the values. */
export const listOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z
    .string()
    .transform((text) => text.split(",").filter((part) => part !== ""))
    .pipe(z.array(z.enum(values)).min(1));

// What comes out -------------------------------------------------------------------------------------------------

const id = z.uuid();
export const Timestamp = z.string().describe("ISO 8601, UTC, milliseconds.");
const when = Timestamp.nullable();
const free = z.record(z.string(), z.unknown());

export const CompanyShape = z.object({
  id,
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(companyStatuses).describe("paused also while its budget is used up."),
  pauseReason: z.enum(["manual", "budget"]).nullable(),
  issuePrefix: z.string(),
  budgetMonthlyCents: z.number().describe("0: no limit."),
  spentMonthlyCents: z.number().describe("Of the current UTC month."),
  logoAssetId: id.nullable(),
  logoUrl: z.string().nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const configFields = {
  name: z.string(),
  role: z.string(),
  title: z.string().nullable(),
  reportsTo: id.nullable(),
  capabilities: z.string().nullable(),
  adapterType: z.string(),
  adapterConfig: free.describe("Values of variables are masked."),
  runtimeConfig: z.object({
    heartbeat: z
      .object({
        enabled: z.boolean().optional(),
        intervalSec: z.number().optional(),
        wakeOnDemand: z.boolean().optional(),
        maxConcurrentRuns: z.number().optional(),
      })
      .optional(),
  }),
  budgetMonthlyCents: z.number(),
  metadata: free.nullable(),
};

export const AgentShape = z.object({
  id,
  companyId: id,
  urlKey: z.string(),
  ...configFields,
  status: z.enum(agentStatuses),
  pauseReason: z.enum(["manual", "budget", "company"]).nullable(),
  errorReason: z.string().nullable(),
  spentMonthlyCents: z.number(),
  lastHeartbeatAt: when,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const AgentDetailShape = AgentShape.extend({
  chainOfCommand: z
    .array(z.object({ id, name: z.string(), role: z.string(), title: z.string().nullable() }))
    .readonly()
    .describe("Nearest manager first."),
  warnings: z.array(z.string()).readonly().describe("Such as a bound secret that is too short to be masked."),
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
  token: z.string().describe("Shown this once."),
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

export const ProjectShape = z.object({
  id,
  companyId: id,
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(projectStatuses),
  leadAgentId: id.nullable(),
  targetDate: z.string().nullable().describe("A day, YYYY-MM-DD."),
  archivedAt: when,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const GoalShape = z.object({
  id,
  companyId: id,
  title: z.string(),
  description: z.string().nullable(),
  level: z.enum(goalLevels),
  status: z.enum(goalStatuses),
  parentId: id.nullable(),
  ownerAgentId: id.nullable(),
  archivedAt: when,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const LabelShape = z.object({
  id,
  companyId: id,
  name: z.string(),
  color: z.string().nullable().describe("#rrggbb."),
  createdAt: Timestamp,
});

export const IssueShape = z.object({
  id,
  companyId: id,
  identifier: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  status: z.enum(issueStatuses),
  priority: z.enum(priorities),
  assigneeAgentId: id.nullable(),
  checkoutRunId: id.nullable().describe("The run that works on it now."),
  heldSince: when,
  parentId: id.nullable(),
  projectId: id.nullable(),
  goalId: id.nullable(),
  routineId: id.nullable().describe("The routine that made it."),
  billingCode: z.string().nullable(),
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  startedAt: when,
  completedAt: when,
  cancelledAt: when,
  lastActivityAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  labels: z
    .array(LabelShape)
    .readonly()
    .optional()
    .describe("In lists, of one issue, and where a call has named some."),
  started_at: when.describe("The same as startedAt."),
  completed_at: when.describe("The same as completedAt."),
});

export const CommentShape = z.object({
  id,
  companyId: id,
  issueId: id,
  body: z.string().describe("Markdown."),
  authorAgentId: id.nullable(),
  authorUserId: id.nullable(),
  createdByRunId: id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const UsageShape = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
});

export const RunShape = z.object({
  id,
  companyId: id,
  agentId: id,
  agentName: z.string(),
  issueId: id.nullable(),
  issueIdentifier: z.string().nullable(),
  adapterType: z.string(),
  status: z.enum(runStatuses),
  wakeReason: z.string(),
  invocationSource: z.string(),
  retryOfRunId: id.nullable(),
  stopRequestedAt: when,
  stopReason: z.string().nullable(),
  startedAt: when,
  finishedAt: when,
  errorCode: z.string().nullable(),
  error: z.string().nullable().describe("A sentence for people."),
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  summary: z.string().nullable(),
  usage: UsageShape.nullable(),
  costCents: z.number().nullable(),
  sessionIdBefore: z.string().nullable(),
  sessionIdAfter: z.string().nullable(),
  logBytes: z.number(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const RunDetailShape = RunShape.extend({
  context: free,
  serviceId: id.nullable(),
  processPid: z.number().nullable(),
  processStartedAt: z.string().nullable(),
  lastOutput: z.string().nullable().describe("Last lines of output."),
  whatNext: z.string().describe("What happens now by itself, or what somebody can do."),
  result: free.nullable(),
  wakes: z
    .array(
      z.object({
        id,
        reason: z.string(),
        status: z.string(),
        endReason: z.string().nullable(),
        createdAt: Timestamp,
      }),
    )
    .readonly(),
});

export const InvocationShape = z.object({
  wakeId: id,
  id: id.nullable().describe("The run; null while another run must end first."),
  status: z
    .string()
    .describe("Of the run; `deferred` while another run must end first; of the wake where it was skipped."),
  agentId: id,
  issueId: id.nullable(),
  createdAt: Timestamp,
});

export const RunEventShape = z.object({
  runId: id,
  seq: z.number(),
  type: z.string(),
  level: z.enum(["info", "warn", "error"]),
  message: z.string().nullable(),
  payload: free,
  createdAt: Timestamp,
});

export const ActivityShape = z.object({
  id,
  companyId: id,
  actorType: z.enum(["board", "agent", "system"]),
  actorId: id.nullable(),
  runId: id.nullable(),
  action: z.string(),
  entityType: z.string(),
  entityId: id,
  details: free,
  createdAt: Timestamp,
});

export const BoardUserShape = z.object({
  id,
  name: z.string(),
  admin: z.boolean(),
  createdAt: Timestamp,
  disabledAt: when,
});

export const BoardTokenShape = z.object({
  id,
  userId: id,
  name: z.string(),
  createdAt: Timestamp,
  expiresAt: when,
  lastUsedAt: when,
  revokedAt: when,
});

export const NewBoardTokenShape = z.object({
  id,
  userId: id,
  name: z.string(),
  createdAt: Timestamp,
  expiresAt: when,
  token: z.string().describe("Shown this once."),
});

export const MemberShape = z.object({ companyId: id, userId: id, name: z.string(), role: z.enum(roles) });

export const Done = z.object({ ok: z.literal(true) });
