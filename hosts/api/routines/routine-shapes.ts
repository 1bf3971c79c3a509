import { z } from "zod";
import { issueStatuses, priorities } from "../../../core/issues/issue-status.ts";
import { catchUpPolicies, concurrencyPolicies, routineStatuses } from "../../../core/routines/routine.ts";
import {
  failuresBeforePause,
  routineRunSources,
  routineRunStatuses,
} from "../../../core/routines/routine-run.ts";
import { replayWindow, signingModes, triggerKinds } from "../../../core/routines/trigger.ts";
import {
  AgentReference,
  free,
  GoalReference,
  IssueReference,
  id,
  Name,
  ProjectReference,
  Text,
  Timestamp,
  upTo,
  Word,
  when,
} from "../endpoint/values.ts";

// What goes in ---------------------------------------------------------------------------------------------------

/** Fields of a routine that may be left out. */
export const optionalRoutineFields = {
  description: Text.nullable().optional(),
  goalId: GoalReference.nullable().optional(),
  parentIssueId: IssueReference.nullable().optional().describe("Parent of the issues that firings make."),
  priority: z.enum(priorities).optional().describe("Of the issues. Default: medium."),
  status: z.enum(routineStatuses).optional().describe("Archived is final."),
  concurrencyPolicy: z
    .enum(concurrencyPolicies)
    .optional()
    .describe(
      "What becomes of a firing while an earlier one is being worked on. Default: coalesce_if_active.",
    ),
  catchUpPolicy: z
    .enum(catchUpPolicies)
    .optional()
    .describe("What becomes of ticks that passed while no service ran. Default: skip_missed."),
};

export const requiredRoutineFields = {
  title: Name.describe(
    "Of the issues. In it and in the description `{{payload.field}}` and `{{date}}` are filled in at each firing.",
  ),
  assigneeAgentId: AgentReference,
  projectId: ProjectReference,
};

export const triggerFields = {
  label: Word.nullable().optional(),
  enabled: z.boolean().optional().describe("Default: true."),
  cronExpression: upTo(200)
    .trim()
    .min(1)
    .optional()
    .describe("Five fields with numbers, names, ranges, steps and lists, or @hourly and its kin."),
  timezone: upTo(100).optional().describe("IANA name. Default: UTC."),
  signingMode: z
    .enum(signingModes)
    .optional()
    .describe("Default: bearer. With github_sha256 the secret is the one of a GitHub webhook."),
  replayWindowSec: z
    .number()
    .int()
    .min(replayWindow.minSec)
    .max(replayWindow.maxSec)
    .optional()
    .describe(`How far a signed timestamp may be off. Default: ${replayWindow.usualSec}.`),
};

// What comes out -------------------------------------------------------------------------------------------------

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
  nextFireAt: when.describe("The earliest tick that has not been fired; null where none fires by itself."),
  lastFiredAt: when,
  lastRotatedAt: when,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const TriggerWithSecretShape = TriggerShape.extend({
  secret: z.string().nullable().describe("The signing secret of a webhook; shown this once."),
  webhookUrl: z.string().nullable().describe("Where a webhook is fired."),
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
    .describe("What the last firing came to, with what became of its issue; null before the first."),
  failuresInARow: z
    .number()
    .describe(
      `Firings up to the last that could make no issue, counted up to ${failuresBeforePause}, at which the routine is paused.`,
    ),
  nextFireAt: when.describe("The earliest tick of its schedules; null where none fires by itself."),
  triggers: z.array(TriggerShape).readonly(),
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
  activeIssue: RoutineIssueShape.nullable().describe("What a firing now counts as active."),
  slotHeldSince: when.describe("Since when that issue is there."),
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
    .describe("New secrets of webhook triggers that had been deleted; shown this once."),
  removedTriggers: z.array(RestoredTriggerShape).readonly().describe("Those that the revision did not have."),
  changedTriggers: z
    .array(RestoredTriggerShape.extend({ changed: z.array(z.string()).readonly() }))
    .readonly()
    .describe("Those that the revision had otherwise, with the fields that were changed."),
  remadeTriggers: z.array(RestoredTriggerShape).readonly().describe("Those that had been deleted."),
});

export const RoutineRunShape = z.object({
  id,
  companyId: id,
  routineId: id,
  triggerId: id.nullable(),
  source: z.enum(routineRunSources),
  status: z.enum(routineRunStatuses),
  scheduledFor: when.describe("The tick, of a run by schedule."),
  triggeredAt: Timestamp,
  idempotencyKey: z.string().nullable(),
  triggerPayload: free.nullable(),
  routineRevisionId: id,
  linkedIssueId: id.nullable().describe("The issue it made; of a coalesced or skipped run the active one."),
  coalescedIntoRunId: id.nullable().describe("The active run a coalesced or skipped one was ended for."),
  failureReason: z.string().nullable(),
  completedAt: when,
  createdAt: Timestamp,
  linkedIssue: RoutineIssueShape.nullable(),
  trigger: z.object({ id, kind: z.enum(triggerKinds), label: z.string().nullable() }).nullable(),
});

/** To whoever fires from outside: that it was heard, and nothing of the company. */
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
