import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { moveCompany } from "../model/companies/company.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { stopRuns } from "../queue/stop-runs.ts";

export interface StopCompany {
  readonly companyId: CompanyId;
  readonly by: Actor;
}

const stopped = {
  paused: { verb: "companies.pause", action: "company.paused", reason: "company_paused" },
  archived: { verb: "companies.archive", action: "company.archived", reason: "company_archived" },
} as const;

/** Pauses or archives: all runs of the company end, and none starts until it is resumed. */
export const stopCompany = (to: "paused" | "archived") =>
  useCase(stopped[to].verb, function* (unit, command: StopCompany) {
    const { companyId } = command;
    const before = yield* unit.companies.lock(companyId);
    const after = yield* Effect.fromResult(moveCompany(before, to, unit.at));
    if (after === before) return before;
    const { action, reason } = stopped[to];
    yield* unit.companies.save(after);
    yield* stopRuns(unit, { companyId }, reason);
    yield* unit.wakes.cancelPending({ companyId }, reason, unit.at);
    yield* unit.log(action, { companyId, id: companyId }, {});
    return after;
  });
