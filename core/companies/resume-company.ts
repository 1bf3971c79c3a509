import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
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
export const resumeCompany = useCase("companies.resume", function* (unit, command: ResumeCompany) {
  const { companyId } = command;
  const before = yield* unit.companies.lock(companyId);
  const refusal = refusalOfResume({ ...before, at: unit.at });
  if (refusal !== null) yield* Effect.fail(refusal);
  const after = yield* Effect.fromResult(moveCompany(before, "active", unit.at));
  if (after === before) return before;
  yield* unit.companies.save(after);
  yield* unit.log("company.resumed", { companyId, id: companyId }, {});
  yield* wakeAfterHold(unit, { companyId }, companyId);
  return after;
});
