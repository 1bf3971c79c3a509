import type { CompanyId } from "../../core/model/shared/ids.ts";

interface Followed {
  followers: number;
  /** The first batch that covers the company; null: no batch yet. */
  since: number | null;
}

/** The companies that have followers now. */
export class FollowedCompanies {
  readonly #followed = new Map<CompanyId, Followed>();

  get isEmpty(): boolean {
    return this.#followed.size === 0;
  }

  get ids(): readonly CompanyId[] {
    return [...this.#followed.keys()];
  }

  add(companyIds: readonly CompanyId[]): void {
    for (const id of companyIds) {
      const company = this.#followed.get(id);
      if (company === undefined) this.#followed.set(id, { followers: 1, since: null });
      else company.followers += 1;
    }
  }

  remove(companyIds: readonly CompanyId[]): void {
    for (const id of companyIds) {
      const company = this.#followed.get(id);
      if (company !== undefined && --company.followers === 0) this.#followed.delete(id);
    }
  }

  /** Whether no batch covers one of these companies, if it is still followed. */
  hasUncovered(companyIds: readonly CompanyId[]): boolean {
    return companyIds.some((id) => this.#followed.get(id)?.since === null);
  }

  /** From this batch on, all batches cover these companies. */
  cover(companyIds: readonly CompanyId[], number: number): void {
    for (const id of companyIds) {
      const company = this.#followed.get(id);
      if (company !== undefined) company.since ??= number;
    }
  }

  /** The first batch that covers all of these companies; null: no batch yet. */
  coveredSince(companyIds: readonly CompanyId[]): number | null {
    let since = 0;
    for (const id of companyIds) {
      const company = this.#followed.get(id);
      if (company === undefined || company.since === null) return null;
      since = Math.max(since, company.since);
    }
    return since;
  }
}
