import { z } from "zod";
import { agentStatuses } from "../../../core/model/agents/agent-status.ts";
import { companyStatuses } from "../../../core/model/companies/company.ts";
import { recentHours } from "../../../core/model/runs/recent-runs.ts";
import { CurrentRunShape, SituationShape } from "../agents/agent-shapes.ts";
import { CallerMayShape } from "../endpoint/caller-may.ts";
import { id, Timestamp } from "../endpoint/values.ts";
import { RunShape } from "../runs/run-shapes.ts";

export const AgentCausedRunLimit = z
  .number()
  .int()
  .min(0)
  .max(10_000)
  .describe(
    "How many runs agents alone may cause for one agent in 10 minutes before a person must act. Default 30; 0: no limit.",
  );

export const CompanyShape = z.object({
  id,
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(companyStatuses).describe("paused also while its budget is used up."),
  pauseReason: z.enum(["manual", "budget"]).nullable(),
  issuePrefix: z.string(),
  budgetMonthlyCents: z.number().describe("0: no limit."),
  spentMonthlyCents: z.number().describe("Spend of the current month (UTC)."),
  runner: z
    .string()
    .nullable()
    .describe("The runner of its agents that name none; null: the service's default."),
  agentCausedRunLimit: z
    .number()
    .describe("How many runs agents alone may cause for one agent in 10 minutes; 0: no limit."),
  logoAssetId: id.nullable(),
  logoUrl: z.string().nullable(),
  callerMay: CallerMayShape("company"),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const HouseRulesRevisionShape = z.object({
  companyId: id,
  revisionNumber: z.number(),
  body: z.string(),
  createdByUserId: id.nullable(),
  createdAt: Timestamp,
});

export const HouseRulesShape = HouseRulesRevisionShape.extend({
  createdAt: Timestamp.nullable().describe("When this revision was written; null if none exists."),
});

const CountedRunsShape = z.object({ count: z.number(), runs: z.array(RunShape).readonly() });

export const PulseShape = z.object({
  at: Timestamp,
  since: Timestamp.describe("The beginning of the day (UTC)."),
  status: z.enum(companyStatuses),
  pauseReason: z.enum(["manual", "budget"]).nullable(),
  agents: z
    .array(
      z.object({
        id,
        name: z.string(),
        status: z.enum(agentStatuses),
        pauseReason: z.enum(["manual", "budget", "company"]).nullable(),
        errorReason: z.string().nullable(),
        currentRun: CurrentRunShape.nullable(),
        situation: SituationShape.describe("What it does now and why, and what wakes it next."),
      }),
    )
    .readonly()
    .describe("All but terminated ones, by name."),
  running: CountedRunsShape.describe("In order of their start; at most 50 are shown."),
  queued: CountedRunsShape.describe(
    "Start when a slot is free; in order of the queue, at most 50 are shown.",
  ),
  waiting: CountedRunsShape.describe(
    "Queued, and wait for a person, for the provider of their account, or for the release after a restore.",
  ),
  failed: CountedRunsShape.describe("Failed today by themselves, the last first; at most 50 are shown."),
  interrupted: CountedRunsShape.describe(
    "Stopped or lost by the service today, the last first; at most 50 are shown.",
  ),
  recentSince: Timestamp.describe(`The beginning of the last ${recentHours} hours.`),
  recent: z
    .array(
      RunShape.pick({
        id: true,
        agentId: true,
        issueIdentifier: true,
        status: true,
        finishedAt: true,
      }).extend({
        startedAt: Timestamp,
      }),
    )
    .readonly()
    .describe(
      `Runs that ended in the last ${recentHours} hours, and running ones: the last started first, at most 1,000.`,
    ),
  spend: z.object({
    todayCents: z.number(),
    todayUnknownEventCount: z.number().describe("Events of unknown cost, in no sum."),
    monthCents: z.number().describe("Spend of the current month (UTC)."),
    budgetCents: z.number().describe("Per month; 0: no limit."),
  }),
});
