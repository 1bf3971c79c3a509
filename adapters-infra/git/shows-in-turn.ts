import type * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import type { CompanyId } from "../../core/model/shared/ids.ts";

/** Of one company: git may take a gigabyte for each. */
const atOnce = 2;

/** Work that shows people and agents what is in a store: a little of each company at once, the rest in turn. */
export const showsInTurn = () => {
  const companies = new Map<CompanyId, Semaphore.Semaphore>();
  return <A, E>(companyId: CompanyId, work: Effect.Effect<A, E>): Effect.Effect<A, E> => {
    const turns = companies.get(companyId) ?? Semaphore.makeUnsafe(atOnce);
    companies.set(companyId, turns);
    return turns.withPermit(work);
  };
};
