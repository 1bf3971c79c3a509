import { money } from "../print/format.ts";
import { columns, type Printer, record } from "../print/printers.ts";
import { costLists, costSummary } from "./cost-reports.ts";

export const costPrinters: readonly Printer[] = [
  columns(
    "CostEventShape",
    { field: "occurredAt", title: "WHEN" },
    "agentId",
    "provider",
    { field: "model", grows: true },
    { field: "inputTokens", title: "IN" },
    { field: "cachedInputTokens", title: "CACHED", goes: 1 },
    { field: "outputTokens", title: "OUT" },
    {
      title: "COST",
      show: ({ costCents, costStatus }) =>
        costStatus === "unknown" ? "unknown" : `${costStatus === "priced" ? "~" : ""}${money(costCents)}`,
    },
  ),
  columns(
    "UsageWindowShape",
    { field: "adapterType", title: "ADAPTER", grows: 10 },
    { field: "name", title: "WINDOW" },
    {
      title: "USED",
      show: ({ usedPercent }) => (usedPercent === null ? "–" : `${Math.round(usedPercent)} %`),
    },
    "status",
    { field: "resetsAt", goes: 2 },
    "reportedAt",
    { field: "heldUntil", goes: 1 },
    { title: "AGENTS", show: ({ agentIds }) => String(agentIds.length), goes: 3 },
  ),
  record("CostSummaryShape", costSummary),
  ...costLists,
];
