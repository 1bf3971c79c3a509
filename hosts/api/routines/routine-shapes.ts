import * as Redacted from "effect/Redacted";
import { z } from "zod";
import { issueStatuses, priorities } from "../../../core/model/issues/issue-status.ts";
import {
  catchUpPolicies,
  concurrencyPolicies,
  routineStatuses,
} from "../../../core/model/routines/routine.ts";
import {
  failuresBeforePause,
  routineRunSources,
  routineRunStatuses,
} from "../../../core/model/routines/routine-run.ts";
import { replayWindow, signingModes, triggerKinds } from "../../../core/model/routines/trigger.ts";
import { CallerMayShape } from "../endpoint/caller-may.ts";
import {
  AgentReference,
  free,
  GoalReference,
  IssueReference,
  id,
  Name,
  ProjectReference,
  ShortText,
  Text,
  Timestamp,
  upTo,
  when,
} from "../endpoint/values.ts";

// Input ---------------------------------------------------------------------------------------------------

/** The optional fields of a routine. */
export const optionalRoutineFields = {
  description: Text.nullable().optional(),
  goalId: GoalReference.nullable().optional(),
  parentIssueId: IssueReference.nullable().optional().describe("Parent of the issues that its runs create."),
  priority: z.enum(priorities).optional().describe("Priority of the issues. Default: medium."),
  status: z.enum(routineStatuses).optional().describe("Archived is final."),
  concurrencyPolicy: z
    .enum(concurrencyPolicies)
    .optional()
    .describe(
      "What happens to a firing while the issue of an earlier one is open. Default: coalesce_if_active.",
    ),
  catchUpPolicy: z
    .enum(catchUpPolicies)
    .optional()
    .describe("What happens to ticks that passed while no service ran. Default: skip_missed."),
};

export const requiredRoutineFields = {
  title: Name.describe(
    "Title of the issues. Each firing fills in `{{payload.field}}` and `{{date}}` in title and description.",
  ),
  assigneeAgentId: AgentReference,
  projectId: ProjectReference,
};

/** A secret that the sender made, as Stripe, Slack and Linear do. */
export const WebhookSecret = z
  .string()
  .regex(/^[\x21-\x7e]{16,512}$/, "must be 16 to 512 printable characters without blanks")
  .transform((text) => Redacted.make(text))
  .meta({
    writeOnly: true,
    description: "The secret that the sender shows, where it makes one itself. Default: a new one.",
  });

export const triggerFields = {
  label: ShortText.nullable().optional(),
  enabled: z.boolean().optional().describe("Default: true."),
  cronExpression: upTo(200)
    .trim()
    .min(1)
    .optional()
    .describe("Five fields with numbers, names, ranges, steps and lists, or a macro such as @hourly."),
  timezone: upTo(100).optional().describe("IANA name. Default: UTC."),
  signingMode: z.enum(signingModes).optional().describe("How the sender proves itself. Default: bearer."),
  replayWindowSec: z
    .number()
    .int()
    .min(replayWindow.minSec)
    .max(replayWindow.maxSec)
    .optional()
    .describe(
      `How many seconds a signed timestamp may differ from now. Default: ${replayWindow.defaultSec}.`,
    ),
};

// Output -------------------------------------------------------------------------------------------------

const routineFields = {
  title: z.string(),
  description: z.string().nullable(),
  assigneeAgentId: id,
  projectId: id,
  goalId: id.nullable(),
  parentIssueId: id.nullable(),
  priority: z.enum(priorities),
  status: z.enum(routineStatuses),
  concurrencyPolicy: z.enum(concurrencyPolicies),
  catchUpPolicy: z.enum(catchUpPolicies),
};

const safeTriggerFields = {
  id,
  kind: z.enum(triggerKinds),
  label: z.string().nullable(),
  enabled: z.boolean(),
  cronExpression: z.string().nullable(),
  timezone: z.string().nullable(),
  publicId: z.string().nullable(),
  signingMode: z.enum(signingModes).nullable(),
  replayWindowSec: z.number().nullable(),
};

export const TriggerShape = z.object({
  ...safeTriggerFields,
  companyId: id,
  routineId: id,
  nextFireAt: when.describe("The earliest tick that has not fired; null if no schedule is active."),
  lastFiredAt: when,
  lastRotatedAt: when,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const TriggerWithSecretShape = TriggerShape.extend({
  secret: z.string().nullable().describe("The signing secret of a webhook; shown only in this answer."),
  webhookUrl: z.string().nullable().describe("The address that fires a webhook trigger."),
});

export const RoutineShape = z.object({
  id,
  companyId: id,
  ...routineFields,
  latestRevisionId: id,
  latestRevisionNumber: z.number(),
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  lastTriggeredAt: when,
  lastResult: z
    .object({
      runId: id,
      status: z.enum(routineRunStatuses),
      triggeredAt: Timestamp,
      failureReason: z.string().nullable(),
      linkedIssueId: id.nullable(),
    })
    .nullable()
    .describe("The result of the last firing, with the status of its issue; null before the first."),
  failuresInARow: z
    .number()
    .describe(
      `The number of latest firings in a row that made no issue, counted up to ${failuresBeforePause}, at which the routine is paused.`,
    ),
  nextFireAt: when.describe("The earliest tick of its schedules; null without an active schedule."),
  triggers: z.array(TriggerShape).readonly(),
  callerMay: CallerMayShape("routine").optional().describe("In a list, where callerMay was asked for."),
});

const RoutineIssueShape = z.object({
  id,
  identifier: z.string(),
  title: z.string(),
  status: z.enum(issueStatuses),
  priority: z.enum(priorities),
  updatedAt: Timestamp,
});

export const RoutineDetailShape = RoutineShape.extend({
  activeIssue: RoutineIssueShape.nullable().describe("The issue that a firing counts as active."),
  slotHeldSince: when.describe("When that issue became the active one."),
  callerMay: CallerMayShape("routine"),
});

export const RoutineRevisionShape = z.object({
  id,
  companyId: id,
  routineId: id,
  revisionNumber: z.number(),
  changeSummary: z.string(),
  snapshot: z.object({
    version: z.literal(1),
    routine: z.object(routineFields),
    triggers: z.array(z.object(safeTriggerFields)).readonly(),
  }),
  restoredFromRevisionId: id.nullable(),
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  createdByRunId: id.nullable(),
  createdAt: Timestamp,
});

const RestoredTriggerShape = z.object({
  triggerId: id,
  kind: z.enum(triggerKinds),
  label: z.string().nullable(),
});

export const RestoredShape = z.object({
  routine: RoutineDetailShape,
  revision: RoutineRevisionShape,
  restoredFromRevisionId: id,
  restoredFromRevisionNumber: z.number(),
  secretMaterials: z
    .array(z.object({ triggerId: id, webhookUrl: z.string(), secret: z.string() }))
    .readonly()
    .describe("New secrets of restored webhook triggers; shown only in this answer."),
  removedTriggers: z
    .array(RestoredTriggerShape)
    .readonly()
    .describe("Triggers that the revision did not have."),
  changedTriggers: z
    .array(RestoredTriggerShape.extend({ changed: z.array(z.string()).readonly() }))
    .readonly()
    .describe("Triggers that differed, with the changed fields."),
  remadeTriggers: z.array(RestoredTriggerShape).readonly().describe("Triggers that had been deleted."),
});

export const RoutineRunShape = z.object({
  id,
  companyId: id,
  routineId: id,
  triggerId: id.nullable(),
  source: z.enum(routineRunSources),
  status: z.enum(routineRunStatuses),
  scheduledFor: when.describe("The tick of a scheduled run."),
  triggeredAt: Timestamp,
  idempotencyKey: z.string().nullable(),
  triggerPayload: free.nullable(),
  routineRevisionId: id,
  linkedIssueId: id
    .nullable()
    .describe("The issue it created; for a coalesced or skipped run the active one."),
  coalescedIntoRunId: id
    .nullable()
    .describe("The active run into which this one was coalesced, or for which it was skipped."),
  failureReason: z.string().nullable(),
  completedAt: when,
  createdAt: Timestamp,
  linkedIssue: RoutineIssueShape.nullable(),
  trigger: z.object({ id, kind: z.enum(triggerKinds), label: z.string().nullable() }).nullable(),
});

/** The answer to an external system: it confirms the firing and shows nothing of the company. */
export const FiredShape = z.object({
  id,
  status: z.enum(["issue_created", "failed", "coalesced", "skipped"]),
  triggeredAt: Timestamp,
});

export const NextFireShape = z.object({ triggerId: id, scheduledFor: Timestamp });

export const CompanyNextFireShape = NextFireShape.extend({
  routineId: id,
  routineTitle: z.string(),
  triggerLabel: z.string().nullable(),
  timezone: z.string().describe("In which the schedule is read."),
});
