import * as Effect from "effect/Effect";
import { z } from "zod";
import { CompanyNotFound } from "../../../core/model/companies/company.ts";
import { CostsFolded, CostTooOld } from "../../../core/model/costs/cost-event.ts";
import { type Period, PeriodInvalid, periodOf } from "../../../core/model/costs/period.ts";
import { IdempotencyKeyReused, NotAllowed, ReferenceNotFound } from "../../../core/model/shared/failure.ts";
import type { CostEventId, RunId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import { acting, inCompany } from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import {
  AgentReference,
  Cents,
  IssueReference,
  Moment,
  Name,
  ProjectReference,
  reference,
} from "../endpoint/values.ts";
import {
  AgentCostsShape,
  AgentDayCostsShape,
  CostEventShape,
  CostSummaryShape,
  DayCostsShape,
  IssueCostsShape,
  ProjectCostsShape,
  ProviderCostsShape,
  UsageWindowShape,
} from "./cost-shapes.ts";

const periodFields = {
  from: Moment.optional().describe("From then on. Default: the current month (UTC)."),
  to: Moment.optional().describe("The end, exclusive."),
};
const period = z.strictObject(periodFields);

const Tokens = z.number().int().min(0).max(1e12);

const inPeriod = <A>(
  { clock }: App,
  asked: { readonly from?: Instant | undefined; readonly to?: Instant | undefined },
  read: (period: Period) => Effect.Effect<A>,
) => Effect.flatMap(Effect.fromResult(periodOf(asked, clock.now())), read);

export const costs = {
  report: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/cost-events",
    summary: "Report usage of an agent",
    description:
      "For the board, or an agent for itself. Counts at once against the budgets of agent, project and company. Without costCents the cost is unknown and counted separately. The same eventId is recorded once. The service itself records what adapters report.",
    access: acting("company", "reportCost"),
    body: z.strictObject({
      agentId: AgentReference,
      provider: Name,
      model: Name,
      inputTokens: Tokens.optional(),
      cachedInputTokens: Tokens.optional(),
      outputTokens: Tokens.optional(),
      costCents: Cents.optional().describe("Whole cents. Omitted: unknown."),
      costStatus: z
        .enum(["reported", "priced"])
        .optional()
        .describe("priced: computed from a price list. Default reported; unknown without costCents."),
      billingType: Name.optional(),
      occurredAt: Moment.optional().describe(
        "Default: now. For an agent at most one hour ago, or the start of its run; it counts in the current month.",
      ),
      issueId: IssueReference.optional().describe("Default: the issue of the run."),
      projectId: ProjectReference.optional().describe("Default: the project of the issue."),
      runId: reference<RunId>().optional().describe("Default: the caller's run."),
      eventId: Name.optional().describe("Your own name for it, at most once per agent."),
    }),
    returns: CostEventShape,
    status: 201,
    failures: [CompanyNotFound, CostsFolded, CostTooOld, IdempotencyKeyReused, NotAllowed, ReferenceNotFound],
    creates: {
      again: ({ views }, id) => views.costs.event(id as CostEventId).pipe(Effect.orDie),
      idOf: ({ id }) => id,
    },
    run: ({ costs }, input, { by, newId }) => costs.report({ ...input, id: newId<CostEventId>(), by }),
  }),
  events: pageEndpoint({
    path: "/api/companies/{companyId}/cost-events",
    summary: "List the cost events of agents",
    description: "Newest first; of the current month by default.",
    access: inCompany("viewer"),
    query: { ...periodFields, agentId: AgentReference.optional() },
    limits: { default: 100, max: 500 },
    row: CostEventShape,
    failures: [PeriodInvalid],
    run: ({ views, clock }, { companyId, agentId, from, to, limit, cursor }) =>
      Effect.flatMap(Effect.fromResult(periodOf({ from, to }, clock.now())), (period) =>
        views.costs.events({ companyId, agentId, period }, { limit, cursor }),
      ),
  }),
  usageWindows: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/usage-windows",
    summary: "List the usage windows of the accounts of agents",
    description:
      "How much of their providers' windows they have used, as programs of agents have reported it: claude with a subscription, by its own adapter and over ACP. Agents without credentials of their own share the account of the machine. A rejected window holds new runs of its account until its reset and a minute; a warning holds nothing.",
    access: inCompany("viewer"),
    returns: z.array(UsageWindowShape).readonly(),
    run: ({ views, clock }, { companyId }) => views.costs.usageWindows(companyId, clock.now()),
  }),
  summary: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/costs/summary",
    summary: "Show spend, budget and forecast of a company",
    description: "Of the current month (UTC) by default.",
    access: inCompany("viewer"),
    query: period,
    returns: CostSummaryShape,
    failures: [PeriodInvalid],
    run: ({ costs }, { companyId, from, to }) => costs.summarise({ companyId, from, to }),
  }),
  byAgent: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/costs/by-agent",
    summary: "Show costs by agent",
    description: "The dearest first; of the current month (UTC) by default.",
    access: inCompany("viewer"),
    query: period,
    returns: z.array(AgentCostsShape).readonly(),
    failures: [PeriodInvalid],
    run: (app, { companyId, ...asked }) =>
      inPeriod(app, asked, (period) => app.views.costs.byAgent(companyId, period)),
  }),
  byProject: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/costs/by-project",
    summary: "Show costs by project",
    description: "The dearest first; of the current month (UTC) by default.",
    access: inCompany("viewer"),
    query: period,
    returns: z.array(ProjectCostsShape).readonly(),
    failures: [PeriodInvalid],
    run: (app, { companyId, ...asked }) =>
      inPeriod(app, asked, (period) => app.views.costs.byProject(companyId, period)),
  }),
  byIssue: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/costs/by-issue",
    summary: "Show costs by issue",
    description:
      "The most expensive first; of the current month (UTC), where no period is given. Shows the 50 most expensive issues, or as many as `count` says.",
    access: inCompany("viewer"),
    query: z.strictObject({
      ...periodFields,
      count: z.coerce
        .number()
        .int()
        .min(1)
        .max(500)
        .default(50)
        .describe("How many issues; the less expensive ones are not in the answer."),
    }),
    returns: z.array(IssueCostsShape).readonly(),
    failures: [PeriodInvalid],
    run: (app, { companyId, count, ...asked }) =>
      inPeriod(app, asked, (period) => app.views.costs.byIssue(companyId, period, count)),
  }),
  byProvider: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/costs/by-provider",
    summary: "Show costs by provider and model",
    description: "The dearest first; of the current month (UTC) by default.",
    access: inCompany("viewer"),
    query: period,
    returns: z.array(ProviderCostsShape).readonly(),
    failures: [PeriodInvalid],
    run: (app, { companyId, ...asked }) =>
      inPeriod(app, asked, (period) => app.views.costs.byProvider(companyId, period)),
  }),
  byDay: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/costs/by-day",
    summary: "Show costs day by day",
    description: "Days are UTC; of the current month up to today by default.",
    access: inCompany("viewer"),
    query: z.strictObject({ ...periodFields, agentId: AgentReference.optional().describe("Of this agent.") }),
    returns: z.array(DayCostsShape).readonly(),
    failures: [PeriodInvalid],
    run: (app, { companyId, agentId, ...asked }) =>
      inPeriod(app, asked, (period) => app.views.costs.byDay(companyId, period, agentId)),
  }),
  byAgentAndDay: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/costs/by-agent-and-day",
    summary: "Show costs by agent and day",
    description:
      "The days (UTC) on which an agent used something, in order; of the current month (UTC) by default.",
    access: inCompany("viewer"),
    query: period,
    returns: z.array(AgentDayCostsShape).readonly(),
    failures: [PeriodInvalid],
    run: (app, { companyId, ...asked }) =>
      inPeriod(app, asked, (period) => app.views.costs.byAgentAndDay(companyId, period)),
  }),
};
