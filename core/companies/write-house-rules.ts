import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import { type Actor, actingUser } from "../model/access/caller.ts";
import { type HouseRules, refuseStaleRules } from "../model/companies/house-rules.ts";
import type { CompanyId } from "../model/shared/ids.ts";

export interface WriteHouseRules {
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly body: string;
  /** The revision that was changed; 0: there was none. */
  readonly baseRevisionNumber: number;
}

/** Adds the next revision of the house rules. Runs that start from then on have it. */
export const writeHouseRules = (transactor: Transactor, clock: Clock) => (command: WriteHouseRules) =>
  transact(transactor, function* (stores) {
    const { companyId, by, body, baseRevisionNumber } = command;
    yield* stores.companies.lock(companyId);
    const current = yield* stores.companies.houseRules(companyId);
    const stale = refuseStaleRules(current, baseRevisionNumber);
    if (stale !== null) yield* Effect.fail(stale);
    if ((current?.body ?? "") === body) return;
    const at = clock.now();
    const next: HouseRules = {
      companyId,
      revisionNumber: baseRevisionNumber + 1,
      body,
      createdByUserId: actingUser(by),
      createdAt: at,
    };
    yield* stores.companies.addHouseRules(next);
    yield* logAction(stores, { companyId, id: companyId }, by, at, "company.house_rules_saved", {
      revisionNumber: next.revisionNumber,
    });
  });
