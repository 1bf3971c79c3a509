import * as Effect from "effect/Effect";
import type { UsageReport } from "../../ports/agent-adapter.ts";
import { centsOf } from "../costs/cents.ts";
import type { RunCost } from "../costs/record-cost.ts";

/** Runs that used nothing cost nothing; tokens without a price are an unknown cost, not a free one. */
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

/**
 * Takes in what a run says it has used so far, as often as it likes: one report is recorded at a time, and of those that
 * came meanwhile the last. One that could not be recorded is made good by the next.
 */
export const usageReports = (
  record: (cost: RunCost) => Effect.Effect<void>,
  onDefect: (defect: unknown) => Effect.Effect<void>,
) => {
  let latest: RunCost | null = null;
  let isRecording = false;
  const recordLatest: Effect.Effect<void> = Effect.suspend(() => {
    const cost = latest;
    latest = null;
    return cost === null ? Effect.void : Effect.andThen(record(cost), recordLatest);
  });
  return (report: UsageReport): Effect.Effect<void> =>
    Effect.suspend(() => {
      latest = runCostOf(report) ?? latest;
      if (isRecording) return Effect.void;
      isRecording = true;
      return recordLatest.pipe(
        Effect.catchDefect(onDefect),
        Effect.ensuring(
          Effect.sync(() => {
            isRecording = false;
          }),
        ),
      );
    });
};
