import * as Effect from "effect/Effect";
import type { UsageReport } from "../../ports/agent-adapter.ts";
import { centsOf } from "../model/costs/cents.ts";
import type { RunCost } from "../money/record-cost.ts";
import { latestOnly } from "./latest-only.ts";

/** Runs without usage cost nothing; tokens without a price are an unknown cost. */
export const runCostOf = (report: Partial<UsageReport>): RunCost | null => {
  const { usage, costUsd } = report;
  const tokens = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens + usage.cachedInputTokens;
  if (tokens === 0 && !costUsd) return null;
  return {
    provider: report.provider ?? "unknown",
    model: report.model ?? "unknown",
    billingType: report.billingType ?? "unknown",
    usage: usage ?? { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
    costCents: centsOf(costUsd),
    estimated: report.estimated ?? false,
  };
};

/** Records a run's reported usage. The next report corrects one that could not be recorded. */
export const usageReports = (
  record: (cost: RunCost) => Effect.Effect<void>,
  onDefect: (defect: unknown) => Effect.Effect<void>,
) => {
  const take = latestOnly((cost: RunCost) => Effect.catchDefect(record(cost), onDefect));
  return (report: UsageReport): Effect.Effect<void> => {
    const cost = runCostOf(report);
    return cost === null ? Effect.void : take(cost);
  };
};
