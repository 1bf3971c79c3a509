import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { moveCompany } from "../model/companies/company.ts";
import { refusalOfResume } from "../model/companies/company-actions.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { wakeAfterHold } from "../queue/wake-after-hold.ts";

export interface ResumeCompany {
  readonly companyId: CompanyId;
  readonly by: Actor;
}

/** Resumes a company: wakes the assignee of every issue that can continue, once each. */
export const resumeCompany = (transactor: Transactor, clock: Clock, ids: Ids) => (command: ResumeCompany) =>
  transact(transactor, function* (stores) {
    const { companyId, by } = command;
    const before = yield* stores.companies.lock(companyId);
    const at = clock.now();
    const no = refusalOfResume({ ...before, at });
    if (no !== null) yield* Effect.fail(no);
    const after = yield* Effect.fromResult(moveCompany(before, "active", at));
    if (after === before) return before;
    yield* stores.companies.save(after);
    yield* logAction(stores, { companyId, id: companyId }, by, at, "company.resumed", {});
    yield* wakeAfterHold(stores, ids, { companyId }, companyId, by, at);
    return after;
  });
