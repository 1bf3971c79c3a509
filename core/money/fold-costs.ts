import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { addSeconds, monthOf } from "../model/shared/instant.ts";

const daySec = 24 * 60 * 60;
const eventsAtOnce = 500;

/**
 * Folds some cost events of one company whose month ended before they are kept: reports have them as part of their sums
 * only. Returns whether there may be more.
 */
export const foldCosts = (transactor: Transactor, clock: Clock) => (keptDays: number) =>
  transact(transactor, function* ({ companies, costs }) {
    const before = monthOf(addSeconds(clock.now(), -keptDays * daySec));
    const companyId = yield* costs.companyToFold(before);
    if (companyId === null) return false;
    yield* Effect.orDie(companies.lock(companyId));
    yield* costs.fold(companyId, before, eventsAtOnce);
    return true;
  });
