import type * as Effect from "effect/Effect";
import type { CompanyNotFound, CompanyStatus } from "../../core/companies/company.ts";
import type { CompanyId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

export interface CompanyView {
  readonly id: CompanyId;
  readonly name: string;
  readonly description: string | null;
  /** paused also while its budget is used up. */
  readonly status: CompanyStatus;
  readonly pauseReason: "manual" | "budget" | null;
  readonly issuePrefix: string;
  readonly budgetMonthlyCents: number;
  /** Of the current UTC month. */
  readonly spentMonthlyCents: number;
  readonly logoAssetId: string | null;
  readonly logoUrl: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface CompanyViews {
  /** By name. `among` limits to these; null means all. */
  list(
    among: readonly CompanyId[] | null,
    statuses: readonly CompanyStatus[],
  ): Effect.Effect<readonly CompanyView[]>;
  get(id: CompanyId): Effect.Effect<CompanyView, CompanyNotFound>;
  /** What it was set to, whatever its budget; null: there is no such company. */
  statusOf(id: CompanyId): Effect.Effect<CompanyStatus | null>;
  /** Which company of the instance it is, from 1; no other is ever given the number. */
  numberOf(id: CompanyId): Effect.Effect<number, CompanyNotFound>;
}
