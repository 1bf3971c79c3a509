import { z } from "zod";
import { approvalTypes } from "../../core/approvals/approval.ts";
import { approvalStatuses } from "../../core/approvals/approval-status.ts";
import { checkNames, proofs } from "../../core/approvals/authority.ts";
import { permissions } from "../../core/approvals/grant.ts";
import { costStatuses } from "../../core/costs/cost-event.ts";
import { AgentDetailShape } from "./agent-shapes.ts";
import { free, id, Timestamp, when } from "./values.ts";

const cents = z.number();

export const ApprovalShape = z.object({
  id,
  companyId: id,
  type: z.enum(approvalTypes),
  status: z.enum(approvalStatuses).describe("resubmitted is shown by resubmit alone; it is pending then."),
  payload: free,
  payloadRevision: z.number().describe("Of the payload: 1, and one more with each resubmit."),
  agentId: id.nullable().describe("Of a hire: the draft, then the agent hired."),
  requestedByAgentId: id.nullable(),
  requestedByUserId: id.nullable(),
  decisionNote: z.string().nullable(),
  chosenOwner: z.string().nullable(),
  offListReason: z.string().nullable(),
  decidedByAgentId: id.nullable(),
  decidedByUserId: id.nullable(),
  decidedAt: when,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const HireShape = z.object({ agent: AgentDetailShape, approval: ApprovalShape });

export const ApprovalCommentShape = z.object({
  id,
  companyId: id,
  approvalId: id,
  body: z.string().describe("Markdown."),
  authorAgentId: id.nullable(),
  authorUserId: id.nullable(),
  createdAt: Timestamp,
});

const permission = z.enum(permissions);

export const AuthorityShape = z.object({
  policy: z.object({
    protection: z.enum(["standard", "protected"]).describe("protected: decided by people only."),
    accepts: z.array(z.enum(proofs)).readonly(),
    requiredPermission: permission.nullable(),
    serviceRequiresDeclaredClass: z.boolean(),
  }),
  allowed: z.boolean(),
  acceptedProof: z.enum(proofs).nullable(),
  grant: z.object({ id, permission, classes: z.array(z.string()).readonly(), grantedBy: id }).nullable(),
  refusal: z
    .object({
      status: z.number().describe("What a decision would be answered with."),
      error: z.string().describe("The code."),
      reason: z.string(),
    })
    .nullable(),
  checks: z
    .array(
      z.object({
        name: z.enum(checkNames),
        result: z.enum(["passed", "refused", "not_reached", "not_applicable"]),
        detail: z.string().optional(),
      }),
    )
    .readonly()
    .describe("In the order of evaluation."),
  approveRequiresChosenOwner: z.boolean(),
});

export const GrantShape = z.object({
  id,
  companyId: id,
  agentId: id,
  permission,
  classes: z.array(z.string()).readonly().describe("Of decisions, as payloads declare them."),
  grantedByUserId: id,
  createdAt: Timestamp,
  revokedByUserId: id.nullable(),
  revokedAt: when,
});

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
  costStatus: z.enum(costStatuses).describe("unknown: tokens were used, nobody said for how much."),
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
  costCents: cents,
  occurredAt: Timestamp,
});

const totals = {
  costCents: cents.describe("Known costs; unknown ones are counted apart."),
  pricedCents: cents.describe("The part of it that was worked out from a price list."),
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
      projectedCents: cents.describe("Spent by the end of the month, at the pace so far."),
      exhaustedAt: when.describe("When the budget is used up at that pace, in this month."),
      unknownSharePercent: z
        .number()
        .describe("Tokens of unknown cost, of all: the projection knows nothing of them."),
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
  projectId: id.nullable().describe("null: what belongs to no project."),
  projectName: z.string().nullable(),
  ...totals,
});

export const ProviderCostsShape = z.object({
  provider: z.string(),
  model: z.string(),
  billingType: z.string(),
  ...totals,
});

export const DayCostsShape = z.object({ day: z.string().describe("UTC, YYYY-MM-DD."), ...totals });
