import { z } from "zod";
import { costStatuses } from "../../../core/model/costs/cost-event.ts";
import { usageStatuses } from "../../../core/model/runs/usage-window.ts";
import { id, Timestamp, when } from "../endpoint/values.ts";

const cents = z.number();

export const CostEventShape = z.object({
  id,
  companyId: id,
  agentId: id,
  issueId: id.nullable(),
  projectId: id.nullable(),
  runId: id.nullable(),
  source: z.enum(["adapter", "api"]),
  eventId: z.string().nullable(),
  provider: z.string(),
  model: z.string(),
  billingType: z.string(),
  costStatus: z.enum(costStatuses).describe("unknown: tokens were used, but no cost was reported."),
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
  costCents: cents,
  occurredAt: Timestamp,
});

const totals = {
  costCents: cents.describe("Known costs; unknown ones are counted separately."),
  pricedCents: cents.describe("The part of it that was computed from a price list."),
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
  eventCount: z.number(),
  unknownEventCount: z.number().describe("Events of unknown cost."),
  unknownTokens: z.number().describe("Tokens of all kinds in events of unknown cost."),
};

const { costCents, ...usage } = totals;

export const CostSummaryShape = z.object({
  companyId: id,
  from: Timestamp,
  to: Timestamp,
  spendCents: costCents,
  budgetCents: cents.describe("Per month; 0: no limit."),
  utilizationPercent: z.number().describe("Spend of the budget; 0 where there is no limit."),
  ...usage,
  forecast: z
    .object({
      projectedCents: cents.describe("Projected costs at the end of the month, at the current pace."),
      exhaustedAt: when.describe("When the budget is used up at that pace, in this month."),
      unknownSharePercent: z
        .number()
        .describe("Share of tokens whose cost is unknown; the projection leaves them out."),
    })
    .nullable()
    .describe("Of the current month; null for other periods."),
});

export const AgentCostsShape = z.object({
  agentId: id,
  agentName: z.string(),
  ...totals,
  runCount: z.number().describe("Runs that cost something."),
  budgetMonthlyCents: cents,
});

export const ProjectCostsShape = z.object({
  projectId: id.nullable().describe("null: costs outside any project."),
  projectName: z.string().nullable(),
  ...totals,
  budgetMonthlyCents: cents.nullable().describe("0: no limit; null without a project."),
});

export const IssueCostsShape = z.object({
  issueId: id.nullable().describe("null: costs outside any issue."),
  issueIdentifier: z.string().nullable(),
  issueTitle: z.string().nullable(),
  ...totals,
  runCount: z.number().describe("Runs that cost something."),
});

export const UsageWindowShape = z.object({
  adapterType: z.string(),
  agentIds: z.array(id).readonly().describe("The agents of the account."),
  name: z.string().describe("As the provider names it."),
  status: z
    .enum(usageStatuses)
    .nullable()
    .describe("As the program last reported it; null: it does not report it."),
  usedPercent: z.number().nullable(),
  windowMinutes: z.number().int().nullable(),
  resetsAt: Timestamp.nullable(),
  reportedAt: Timestamp.describe("When a program reported it: it may have changed since."),
  heldUntil: Timestamp.nullable().describe("New runs of the account wait until then; null: they do not."),
});

export const ProviderCostsShape = z.object({
  provider: z.string(),
  model: z.string(),
  billingType: z.string(),
  ...totals,
});

export const AgentDayCostsShape = z.object({
  agentId: id,
  agentName: z.string(),
  day: z.string().describe("UTC, YYYY-MM-DD."),
  ...totals,
});

export const DayCostsShape = z.object({ day: z.string().describe("UTC, YYYY-MM-DD."), ...totals });
