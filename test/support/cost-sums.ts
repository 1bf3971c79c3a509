import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ISql } from "postgres";

/** The statements of the migration that fill the sums from the events; the file of a migration never changes. */
const fills = readFileSync(
  join(import.meta.dirname, "../../adapters-infra/postgres/migrations/034-cost-sums.sql"),
  "utf8",
)
  .split(";")
  .filter((statement) => statement.trim().startsWith("insert into"));

const tables = ["cost_days", "cost_run_days", "cost_issue_months"] as const;

/** Sums anew all cost events: for events that were made by SQL. */
export const sumCosts = async (sql: ISql): Promise<void> => {
  for (const table of tables) await sql`delete from ${sql(table)}`;
  for (const fill of fills) await sql.unsafe(fill);
};

/** The sums as they are kept, without those that came to nothing. */
export const keptSums = async (sql: ISql): Promise<readonly (readonly object[])[]> => [
  await sql`select * from cost_days where event_count <> 0 order by company_id, scope, day, agent_id, project_id, model_hash`,
  await sql`select * from cost_run_days where runs <> 0 order by company_id, agent_id, day, previous_day`,
  await sql`select * from cost_issue_months order by company_id, month, issue_id`,
];
