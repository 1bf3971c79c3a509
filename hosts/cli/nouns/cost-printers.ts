import { someone, strong, when } from "../print/cells.ts";
import { money } from "../print/format.ts";
import { columns, list, type Printer, record } from "../print/printers.ts";
import {
  agentCosts,
  agentDayCosts,
  costSummary,
  dayCosts,
  issueCosts,
  projectCosts,
  providerCosts,
} from "./cost-reports.ts";

export const costPrinters: readonly Printer[] = [
  columns(
    "CostEventShape",
    { title: "WHEN", show: when("occurredAt") },
    { title: "AGENT", show: ({ agentId }, paper) => someone(agentId, paper), grows: 8 },
    { title: "PROVIDER", show: ({ provider }) => provider },
    { title: "MODEL", show: ({ model }) => model, grows: true },
    { title: "IN", show: ({ inputTokens }) => String(inputTokens) },
    { title: "CACHED", show: ({ cachedInputTokens }) => String(cachedInputTokens), goes: 1 },
    { title: "OUT", show: ({ outputTokens }) => String(outputTokens) },
    {
      title: "COST",
      show: ({ costCents, costStatus }) =>
        costStatus === "unknown" ? "unknown" : `${costStatus === "priced" ? "~" : ""}${money(costCents)}`,
    },
  ),
  columns(
    "UsageWindowShape",
    { title: "ADAPTER", show: ({ adapterType }) => adapterType, grows: 10 },
    { title: "WINDOW", show: ({ name }, paper) => strong(name, paper), grows: true },
    {
      title: "USED",
      show: ({ usedPercent }) => (usedPercent === null ? "–" : `${Math.round(usedPercent)} %`),
    },
    { title: "STATUS", show: ({ status }) => status ?? "–" },
    { title: "RESETS", show: when("resetsAt"), goes: 2 },
    { title: "REPORTED", show: when("reportedAt") },
    { title: "HELD UNTIL", show: when("heldUntil"), goes: 1 },
    { title: "AGENTS", show: ({ agentIds }) => String(agentIds.length), goes: 3 },
  ),
  record("CostSummaryShape", costSummary),
  list("AgentCostsShape", agentCosts),
  list("ProjectCostsShape", projectCosts),
  list("IssueCostsShape", issueCosts),
  list("ProviderCostsShape", providerCosts),
  list("DayCostsShape", dayCosts),
  list("AgentDayCostsShape", agentDayCosts),
];
