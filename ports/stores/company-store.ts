import type * as Effect from "effect/Effect";
import type { Company, CompanyNotFound } from "../../core/companies/company.ts";
import type { CompanyId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

export interface CompanyStore {
  /** Locks it, after waiting for its present lock. */
  lock(id: CompanyId): Effect.Effect<Company, CompanyNotFound>;
  status(id: CompanyId): Effect.Effect<Pick<Company, "status" | "heldByBudgetAt">, CompanyNotFound>;
  /** Adds it under the first free one of the prefixes 0, 1, 2, …; answers with the company as it is stored. */
  insert(company: Company, prefix: (n: number) => string): Effect.Effect<Company>;
  save(company: Company): Effect.Effect<void>;
  /** Sets or lifts the hold of its budget. */
  setBudgetHold(id: CompanyId, heldAt: Instant | null): Effect.Effect<void>;
  /** Companies held by their budget since before `at`, at most `limit`, each locked; those held elsewhere are passed over. */
  lockHeldBefore(at: Instant, limit: number): Effect.Effect<readonly Company[]>;
  /** The next `ABC-12`. Holds nobody up; a transaction that is undone leaves a gap. */
  takeIdentifier(id: CompanyId): Effect.Effect<string, CompanyNotFound>;
}
