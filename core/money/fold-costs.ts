import * as Effect from "effect/Effect";
import { systemUseCase } from "../access/unit-of-work.ts";
import { addSeconds, monthOf } from "../model/shared/instant.ts";

const daySec = 24 * 60 * 60;
const eventsAtOnce = 500;

/**
 * Folds some cost events of one company whose month ended before the retention period: reports then show them only in their
 * sums. Returns whether there may be more.
 */
export const foldCosts = systemUseCase("costs.fold", function* (unit, retentionDays: number) {
  const { companies, costs } = unit;
  const before = monthOf(addSeconds(unit.at, -retentionDays * daySec));
  const companyId = yield* costs.companyToFold(before);
  if (companyId === null) return false;
  yield* Effect.orDie(companies.lock(companyId));
  yield* costs.fold(companyId, before, eventsAtOnce);
  return true;
});
