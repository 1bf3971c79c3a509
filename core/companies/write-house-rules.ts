import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
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
export const writeHouseRules = useCase(
  "companies.writeHouseRules",
  function* (unit, command: WriteHouseRules) {
    const { companyId, body, baseRevisionNumber } = command;
    yield* unit.companies.lock(companyId);
    const current = yield* unit.companies.houseRules(companyId);
    const stale = refuseStaleRules(current, baseRevisionNumber);
    if (stale !== null) yield* Effect.fail(stale);
    if ((current?.body ?? "") === body) return;
    const next: HouseRules = {
      companyId,
      revisionNumber: baseRevisionNumber + 1,
      body,
      createdByUserId: actingUser(unit.by),
      createdAt: unit.at,
    };
    yield* unit.companies.addHouseRules(next);
    yield* unit.log(
      "company.house_rules_saved",
      { companyId, id: companyId },
      { revisionNumber: next.revisionNumber },
    );
  },
);
