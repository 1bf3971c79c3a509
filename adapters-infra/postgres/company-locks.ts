import type { Sql } from "postgres";
import type { CompanyId } from "../../core/shared/ids.ts";

/** Things of a company that must hold still as a whole while one of their links is decided upon. */
export type LinksOfCompany = "chain of command" | "goal parents" | "issue links" | "vault defaults";

/**
 * Locks it, after waiting for its present lock; holds it until the end of the transaction. What is to be read under it goes in a statement
 * of its own, behind this one: a statement sees what was there when it began, not when its waiting was over.
 */
export const lockOfCompany = (links: LinksOfCompany, companyId: CompanyId) => (sql: Sql) =>
  sql`
  select pg_advisory_xact_lock(hashtextextended(${`${links} ${companyId}`}, 0))
`;
