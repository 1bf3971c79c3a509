import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import { AdapterBusy } from "../../core/model/adapters/adapter.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";

/** Questions of one company in progress at once. */
const atOnce = 2;
/** Further ones that wait. */
const waiting = 4;
const retryAfterSec = 5;

/** Work that starts programs for a company: a little at once, a little more in turn, and no company waits for another. */
export const companyTurns = () => {
  const companies = new Map<CompanyId, { readonly turns: Semaphore.Semaphore; asked: number }>();
  return <A, E>(companyId: CompanyId, work: Effect.Effect<A, E>): Effect.Effect<A, E | AdapterBusy> =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const company = companies.get(companyId) ?? { turns: Semaphore.makeUnsafe(atOnce), asked: 0 };
        if (company.asked >= atOnce + waiting) return Effect.fail(new AdapterBusy({ retryAfterSec }));
        company.asked += 1;
        companies.set(companyId, company);
        return Effect.succeed(company);
      }),
      ({ turns }) => turns.withPermit(work),
      (company) =>
        Effect.sync(() => {
          company.asked -= 1;
          if (company.asked === 0) companies.delete(companyId);
        }),
    );
};
