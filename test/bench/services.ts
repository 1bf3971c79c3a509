import Table from "cli-table3";
import type { Sql } from "postgres";
import { type Bench, openBench } from "./bench.ts";
import { median, pause } from "./measure.ts";
import type { Options } from "./options.ts";
import type { Prepared, Row } from "./row.ts";
import { costliestStatements, forgetStatements } from "./statements.ts";

/** The numbers of services that are compared: one that does everything, and pairs of one that answers and one that runs. */
const numbers = [1, 2, 4];
const idleSec = 20;

/**
 * The rows of the comparison, with what each operation must add to the database exactly once; null: it only reads, adds
 * different things, or the row itself checks what it measures. A sum that differs ends the bench.
 */
export const counts: Readonly<Record<string, ((sql: Sql) => Promise<number>) | null>> = {
  "get-issue": null,
  "list-issues": null,
  "list-issues-own": null,
  "list-agents": null,
  "search-word": null,
  "search-old": null,
  "search-list": null,
  "count-status": null,
  "checkout-race": null,
  "create-issue": (sql) => one(sql`select count(*)::float8 as sum from issues`),
  "cost-event": (sql) => one(sql`select coalesce(sum(cost_cents), 0)::float8 as sum from cost_events`),
  "comment-assigned": (sql) => one(sql`select count(*)::float8 as sum from comments`),
  "fire-routine": (sql) => one(sql`select count(*)::float8 as sum from routine_runs`),
  "runs-finished": (sql) => one(sql`select count(*)::float8 as sum from runs where status = 'succeeded'`),
  wake: null,
  burst: null,
  "followers-spread": null,
  mixed: null,
};

const one = async (query: PromiseLike<readonly { readonly sum?: number }[]>): Promise<number> =>
  (await query)[0]!.sum!;

/** A row with one number of services, and its figures of all rounds. */
interface Staffed {
  readonly bench: Bench;
  readonly prepared: Prepared;
  readonly rates: number[];
  serviceMs: number;
  databaseMs: number;
  operations: number;
}

/**
 * Compares the rows with one, two and four services, each number with a database of its own. They take turns, so that
 * another load of the machine meets all of them. On a machine whose processors are busy, rates cannot grow; they must
 * not fall, and neither the processor time of an operation nor that of idle services may grow much.
 */
export const compareServices = async (
  options: Options,
  rows: readonly Row[],
  say: (text: string) => void,
): Promise<string> => {
  const benches: Bench[] = [];
  try {
    for (const number of numbers) {
      say(number === 1 ? "one service" : `${number / 2} that answer and ${number / 2} that run agents`);
      benches.push(await openBench(options, number));
    }
    const table = new Table({
      head: ["(service, database ms each)", "1 service", "2 services", "4 services", "sums"],
      style: { head: [], border: [], compact: true },
    });
    say("idle");
    table.push(await compareIdle(benches, options.statements));
    table.push(["its memory, MB: each service, database", ...benches.map(memories), ""]);
    for (const row of rows) {
      say(row.name);
      table.push(await compareRow(row, benches, options.rounds));
      if (row.name === "mixed") table.push(["its memory", ...benches.map(memories), ""]);
    }
    return `${table.toString()}\n`;
  } finally {
    for (const bench of benches) await bench.close();
  }
};

/** Measures all at the same time, because idle services do not disturb one another. */
const compareIdle = async (benches: readonly Bench[], statements: boolean): Promise<string[]> => {
  await pause(5_000);
  if (statements) for (const { sql } of benches) await forgetStatements(sql);
  const before = await Promise.all(benches.map(state));
  await pause(idleSec * 1000);
  const after = await Promise.all(benches.map(state));
  if (statements)
    for (const [at, { sql }] of benches.entries())
      process.stdout.write(`idle, ${numbers[at]} services\n${await costliestStatements(sql)}`);
  const cells = after.map(({ service, database, transactions }, at) => {
    const each = (now: number, then: number) => ((now - then) / idleSec).toFixed(1);
    const from = before[at]!;
    return `${each(transactions, from.transactions)} transactions/s (${each(service, from.service)}, ${each(database, from.database)})`;
  });
  return ["nothing to do, each second", ...cells, ""];
};

const memories = ({ memoriesMb }: Bench): string => {
  const shown = memoriesMb().map((mb) => mb.toFixed(0));
  return `${shown.slice(0, -1).join(" + ")}, ${shown.at(-1)}`;
};

const state = async ({ spent, sql }: Bench) => ({
  ...spent(),
  transactions: await one(
    sql`select (xact_commit + xact_rollback)::float8 as sum from pg_stat_database where datname = current_database()`,
  ),
});

const compareRow = async (row: Row, benches: readonly Bench[], rounds: number): Promise<string[]> => {
  const staffed: Staffed[] = [];
  for (const bench of benches) {
    const prepared = await row.prepare(bench);
    await bench.idle();
    staffed.push({ bench, prepared, rates: [], serviceMs: 0, databaseMs: 0, operations: 0 });
  }
  const count = counts[row.name] ?? null;
  try {
    for (let n = 0; n < rounds; n++) for (const each of staffed) await playRound(each, row, count);
  } finally {
    for (const { bench, prepared } of staffed) {
      await prepared.end?.();
      await bench.idle();
    }
  }
  const cells = staffed.map(({ rates, serviceMs, databaseMs, operations }) => {
    const each = (ms: number) => (ms / operations).toFixed(2);
    return `${Number(median(rates).toPrecision(3))} ${row.unit} (${each(serviceMs)}, ${each(databaseMs)})`;
  });
  const all = staffed.reduce((sum, { operations }) => sum + operations, 0);
  return [row.what, ...cells, count === null ? "" : `${all} of ${all}`];
};

const playRound = async (
  each: Staffed,
  { name }: Row,
  count: ((sql: Sql) => Promise<number>) | null,
): Promise<void> => {
  const { bench, prepared } = each;
  await prepared.again?.();
  const there = (await count?.(bench.sql)) ?? 0;
  const before = bench.spent();
  const { value, operations } = await prepared.round();
  await bench.idle();
  const after = bench.spent();
  const added = ((await count?.(bench.sql)) ?? 0) - there;
  if (count !== null && added !== operations)
    throw new Error(`${name}: ${operations} operations were answered, and ${added} are there.`);
  each.rates.push(value);
  each.serviceMs += after.service - before.service;
  each.databaseMs += after.database - before.database;
  each.operations += operations;
};
