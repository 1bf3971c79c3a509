import type { Fragment, Sql } from "postgres";

/**
 * A set of the core, such as `liveRunStatuses`, as SQL: `status in ${setOf(sql, liveRunStatuses)}`. Constants, because a
 * plan uses a partial index only where it can prove its predicate before it knows parameters.
 */
export const setOf = (sql: Sql, names: readonly string[]): Fragment => {
  for (const name of names) if (!isName.test(name)) throw new Error(`not a name of the core: ${name}`);
  return sql.unsafe(`(${names.map((name) => `'${name}'`).join(", ")})`);
};

const isName = /^[a-z][a-z_.]*$/;

/** `runnerOf` of the core on `agents` and `companies` under these aliases; null where they name none. */
export const namedRunner = (sql: Sql, { agent, company }: { agent: Fragment; company: Fragment }) => sql`
  coalesce(${agent}.runtime_config ->> 'runner', ${company}.runner)
`;
