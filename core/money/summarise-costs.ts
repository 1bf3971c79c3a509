import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Views } from "../../ports/views.ts";
import { forecast, percent } from "../model/costs/forecast.ts";
import { periodOf } from "../model/costs/period.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { type Instant, monthAfter, monthOf } from "../model/shared/instant.ts";

export interface SummariseCosts {
  readonly companyId: CompanyId;
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
}

/** Returns a company's spend in a period with its budget; for the current month, with a forecast. */
export const summariseCosts = (views: Views, clock: Clock) =>
  Effect.fnUntraced(function* ({ companyId, ...asked }: SummariseCosts) {
    const at = clock.now();
    const period = yield* Effect.fromResult(periodOf(asked, at));
    const { costCents, budgetCents, ...usage } = yield* views.costs.total(companyId, period);
    const isThisMonth = period.from === monthOf(at) && period.to === monthAfter(at);
    return {
      companyId,
      ...period,
      spendCents: costCents,
      budgetCents,
      utilizationPercent: percent(costCents, budgetCents),
      ...usage,
      forecast: isThisMonth
        ? forecast({
            spendCents: costCents,
            budgetCents,
            tokens: usage.inputTokens + usage.cachedInputTokens + usage.outputTokens,
            tokensOfUnknownCost: usage.unknownTokens,
            at,
          })
        : null,
    };
  });
