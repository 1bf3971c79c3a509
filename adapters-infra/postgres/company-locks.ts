import type { Sql } from "postgres";
import type { CompanyId } from "../../core/shared/ids.ts";

/** Links of a company that must not change while one of them is decided. */
export type LinksOfCompany = "chain of command" | "goal parents" | "issue links" | "vault defaults";

/**
 * Waits for the company's lock of these links and keeps it until the transaction ends. Read the links in a later
 * statement: a statement sees the data of its own start, not of the end of its wait.
 */
export const lockOfCompany = (links: LinksOfCompany, companyId: CompanyId) => (sql: Sql) =>
  sql`
  select pg_advisory_xact_lock(hashtextextended(${`${links} ${companyId}`}, 0))
`;
