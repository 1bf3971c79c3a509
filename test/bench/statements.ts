import postgres from "postgres";
import type { EmbeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import { pause } from "./measure.ts";

const most = 10;
const width = 110;

/** Loads pg_stat_statements into the engine, which restarts for it. */
export const countStatements = async ({ url, pid }: EmbeddedServer): Promise<void> => {
  const ask = async (text: string) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      return await sql.unsafe(text);
    } finally {
      await sql.end({ timeout: 5 });
    }
  };
  await ask("alter system set shared_preload_libraries = 'pg_stat_statements'");
  const before = pid()!;
  process.kill(before, "SIGINT");
  while (pid() === null || pid() === before) await pause(50);
  for (;;) {
    try {
      await ask("create extension pg_stat_statements");
      return;
    } catch (error) {
      // It does not accept connections yet.
      if (error instanceof postgres.PostgresError && error.code !== "57P03") throw error;
      await pause(50);
    }
  }
};

export const forgetStatements = async (sql: postgres.Sql): Promise<void> => {
  await sql`select pg_stat_statements_reset()`;
};

/** The statements that took the database longest since they were forgotten, one line each, without the bench's own. */
export const costliestStatements = async (sql: postgres.Sql): Promise<string> => {
  const rows = await sql<{ query: string; calls: number; mean: number; share: number; rows: number }[]>`
    select    query, calls::float8 as calls, mean_exec_time as mean, rows::float8 as rows,
              total_exec_time / sum(total_exec_time) over () as share
    from      pg_stat_statements
    where     query !~ 'pg_stat_statements|is distinct from .* as runs'
    order by  total_exec_time desc
    limit     ${most}`;
  return rows
    .map(({ query, calls, mean, share, rows: found }) => {
      const text = query.replace(/\s+/g, " ").trim();
      const shown = text.length > width ? `${text.slice(0, width)} …` : text;
      return `  ${(share * 100).toFixed(0).padStart(3)} %  ${String(calls).padStart(7)} calls  ${mean.toFixed(3).padStart(8)} ms  ${(found / calls).toFixed(1).padStart(6)} rows  ${shown}\n`;
    })
    .join("");
};
