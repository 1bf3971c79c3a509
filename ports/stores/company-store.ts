import type * as Effect from "effect/Effect";
import type { Company, CompanyNotFound } from "../../core/model/companies/company.ts";
import type { HouseRules } from "../../core/model/companies/house-rules.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface CompanyStore {
  /** Waits for a concurrent lock and takes it. */
  lock(id: CompanyId): Effect.Effect<Company, CompanyNotFound>;
  status(
    id: CompanyId,
  ): Effect.Effect<Pick<Company, "status" | "heldByBudgetAt" | "runner">, CompanyNotFound>;
  /** Of all companies, archived ones too. */
  ids(): Effect.Effect<readonly CompanyId[]>;
  /** Adds it under the first free one of the prefixes 0, 1, 2, …; returns the company as stored. */
  insert(company: Company, prefix: (n: number) => string): Effect.Effect<Company>;
  save(company: Company): Effect.Effect<void>;
  /** Sets or lifts the hold of its budget. */
  setBudgetHold(id: CompanyId, heldAt: Instant | null): Effect.Effect<void>;
  /**
   * Keeps all budget holds of the company, its agents and its projects from being lifted by others. What is read behind
   * it shows what others have lifted before.
   */
  lockBudgetHolds(id: CompanyId): Effect.Effect<void>;
  /**
   * Locks at most `limit` companies held by their budget since before `at`; skips those locked by another transaction.
   */
  lockHeldBefore(at: Instant, limit: number): Effect.Effect<readonly Company[]>;
  /** Returns the latest revision; null if none exists. The company is locked. */
  houseRules(id: CompanyId): Effect.Effect<HouseRules | null>;
  addHouseRules(rules: HouseRules): Effect.Effect<void>;
  /** Takes the next `ABC-12`. Blocks no other transaction; a rollback leaves a gap. */
  takeIdentifier(id: CompanyId): Effect.Effect<string, CompanyNotFound>;
}
