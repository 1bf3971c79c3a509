import type { Sql } from "postgres";
import type { CompanyId } from "../../core/model/shared/ids.ts";

/** The parts of a company that must not change while one of them is decided. */
export type LockedOfCompany =
  | "budget holds"
  | "chain of command"
  | "goal parents"
  | "issue links"
  | "vault defaults";

/**
 * Waits for the company's lock and keeps it until the transaction ends. Read what it locks in a later statement: a
 * statement sees the data of its own start, not of the end of its wait.
 */
export const lockOfCompany = (locked: LockedOfCompany, companyId: CompanyId) => (sql: Sql) =>
  sql`
  select pg_advisory_xact_lock(hashtextextended(${`${locked} ${companyId}`}, 0))
`;
