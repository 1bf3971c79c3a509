import type * as Effect from "effect/Effect";
import type { Company, CompanyNotFound } from "../../core/model/companies/company.ts";
import type { HouseRules } from "../../core/model/companies/house-rules.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

/** A company as it is stored; `showCompany` makes what its readers see. */
export interface CompanyRecord extends Company {
  /** Spend of the current UTC month. */
  readonly spentMonthlyCents: number;
  readonly logoAssetId: string | null;
  readonly logoUrl: string | null;
}

export interface CompanyViews {
  /** Sorted by name. `among` limits the list; null means all. */
  list(among: readonly CompanyId[] | null, at: Instant): Effect.Effect<readonly CompanyRecord[]>;
  get(id: CompanyId, at: Instant): Effect.Effect<CompanyRecord, CompanyNotFound>;
  /** The latest revision; null if none exists. */
  houseRules(id: CompanyId): Effect.Effect<HouseRules | null>;
  /** Newest first. */
  houseRulesRevisions(id: CompanyId, page: PageRequest): Effect.Effect<Page<HouseRules>, CursorInvalid>;
  /** Returns the company's ordinal in the instance, from 1; numbers are never reused. */
  numberOf(id: CompanyId): Effect.Effect<number, CompanyNotFound>;
}
