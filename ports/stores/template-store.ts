import type * as Effect from "effect/Effect";
import type { CompanyNotFound } from "../../core/model/companies/company.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { CompanyRecords } from "../../core/model/templates/company-records.ts";

export interface TemplateStore {
  /** Locks the company and its routines, whose locks come first, so that one declaration is applied after the other. */
  lock(companyId: CompanyId): Effect.Effect<void, CompanyNotFound>;
  /** Reads what a template describes. */
  read(companyId: CompanyId): Effect.Effect<CompanyRecords, CompanyNotFound>;
}
