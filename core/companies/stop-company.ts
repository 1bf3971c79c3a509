import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { moveCompany } from "../model/companies/company.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { stopRuns } from "../queue/stop-runs.ts";

export interface StopCompany {
  readonly companyId: CompanyId;
  readonly by: Actor;
}

const stopped = {
  paused: { action: "company.paused", reason: "company_paused" },
  archived: { action: "company.archived", reason: "company_archived" },
} as const;

/** Pauses or archives: all runs of the company end, and none starts until it is resumed. */
export const stopCompany =
  (transactor: Transactor, clock: Clock, to: "paused" | "archived") => (command: StopCompany) =>
    transact(transactor, function* (stores) {
      const { companyId, by } = command;
      const before = yield* stores.companies.lock(companyId);
      const at = clock.now();
      const after = yield* Effect.fromResult(moveCompany(before, to, at));
      if (after === before) return before;
      const { action, reason } = stopped[to];
      yield* stores.companies.save(after);
      yield* stopRuns(stores, { companyId }, reason, at);
      yield* stores.wakes.cancelPending({ companyId }, reason, at);
      yield* logAction(stores, { companyId, id: companyId }, by, at, action, {});
      return after;
    });
