import type { Sql } from "postgres";
import { within } from "./answers.ts";
import { openDatabase } from "./connection.ts";

/** A second client takes the session of the first one at once, or in turn with others of the pooler. */
const rounds = 3;
const answerMs = 15_000;

const behindPooler =
  "DATABASE_URL leads to a connection pooler that gives each transaction another session (transaction pooling). The " +
  "service needs sessions of its own, for locks, notifications and time limits. Use the database's direct address or the " +
  "pooler's session mode: on Neon the host without -pooler, on Supabase port 5432 instead of 6543, for PgBouncer " +
  "pool_mode=session.";

/**
 * Says in a sentence why the service can't use a database; null where it can. Rejects where the database does not answer.
 * Nothing in a session tells a pooler from a server, so two clients compare the processes that answer them.
 */
export const databaseProblem = async (url: string): Promise<string | null> => {
  // A session that is closed while the other client is slow to log in would look like another one of a pooler.
  const open = () => openDatabase(url, { max: 1, closesIdle: false });
  const [one, other] = [open(), open()];
  try {
    const [{ encoding, hasIcu }] = (await one.unsafe(`
      select  current_setting('server_encoding') as encoding,
              exists (select from pg_collation where collname = 'und-x-icu') as has_icu
    `)) as unknown as [{ readonly encoding: string; readonly hasIcu: boolean }];
    if (encoding !== "UTF8")
      return (
        `The database has the encoding ${encoding}, which cannot hold every text. Create one with ` +
        "create database boardroom encoding 'UTF8' template template0, and name it in DATABASE_URL."
      );
    if (!hasIcu)
      return "The PostgreSQL server was built without ICU, which the service compares names with. Nearly all are built with it.";
    for (let round = 0; round < rounds; round++) if (await sharesSession(one, other)) return behindPooler;
    return null;
  } finally {
    await Promise.all([one, other].map((sql) => sql.end({ timeout: 1 })));
  }
};

const sharesSession = async (one: Sql, other: Sql): Promise<boolean> => {
  const before = await processOf(one);
  // A pooler that hands out two sessions in turn: the other client's statements between these would hide it.
  if ((await processOf(one)) !== before) return true;
  return other.begin(async (transaction) => {
    if ((await processOf(transaction)) === before) return true;
    // Without an answer all of the pooler's sessions are in use.
    return (
      (await within(
        processOf(one).catch(() => null),
        answerMs,
      )) !== before
    );
  }) as Promise<boolean>;
};

const processOf = async (sql: Pick<Sql, "unsafe">): Promise<number> => {
  const [row] = await sql.unsafe<{ pid: number }[]>("select pg_backend_pid() as pid");
  return row!.pid;
};
