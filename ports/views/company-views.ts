import type * as Effect from "effect/Effect";
import type { ActionOf } from "../../core/model/access/actions.ts";
import type { AgentCaller, BoardCaller } from "../../core/model/access/caller.ts";
import type { CallerMay } from "../../core/model/access/caller-may.ts";
import type { Company, CompanyNotFound, CompanyStatus } from "../../core/model/companies/company.ts";
import type { HouseRules } from "../../core/model/companies/house-rules.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

export interface CompanyView extends Omit<Company, "heldByBudgetAt"> {
  /** Also paused while its budget is used up. */
  readonly status: CompanyStatus;
  readonly pauseReason: "manual" | "budget" | null;
  /** Spend of the current UTC month. */
  readonly spentMonthlyCents: number;
  readonly logoAssetId: string | null;
  readonly logoUrl: string | null;
}

/** As a caller sees it. */
export interface ShownCompanyView extends CompanyView {
  readonly callerMay: CallerMay<ActionOf<"company">>;
}

export interface CompanyViews {
  /** Sorted by name. `among` limits the list; null means all. */
  list(
    among: readonly CompanyId[] | null,
    statuses: readonly CompanyStatus[],
    caller: BoardCaller | AgentCaller,
  ): Effect.Effect<readonly ShownCompanyView[]>;
  get(id: CompanyId): Effect.Effect<CompanyView, CompanyNotFound>;
  shown(id: CompanyId, caller: BoardCaller | AgentCaller): Effect.Effect<ShownCompanyView, CompanyNotFound>;
  /** The latest revision; null if none exists. */
  houseRules(id: CompanyId): Effect.Effect<HouseRules | null>;
  /** Newest first. */
  houseRulesRevisions(id: CompanyId, page: PageRequest): Effect.Effect<Page<HouseRules>, CursorInvalid>;
  /** Returns the company's ordinal in the instance, from 1; numbers are never reused. */
  numberOf(id: CompanyId): Effect.Effect<number, CompanyNotFound>;
}
