import { mkdir, readFile, writeFile } from "node:fs/promises";
import { type Bench, openBench } from "./bench.ts";
import { measureMachine } from "./machine.ts";
import { type Figures, median } from "./measure.ts";
import { readOptions, usage } from "./options.ts";
import { printReport, type Report, type Result } from "./report.ts";
import type { Row } from "./row.ts";
import { followers } from "./rows/followers.ts";
import { page } from "./rows/page.ts";
import { reads } from "./rows/reads.ts";
import { runs } from "./rows/runs.ts";
import { whole } from "./rows/whole.ts";
import { writes } from "./rows/writes.ts";

const all: readonly Row[] = [...reads, ...writes, ...runs, ...followers, ...whole, ...page];

const main = async (args: readonly string[]): Promise<void> => {
  if (args.includes("--help")) return void process.stdout.write(usage);
  const options = readOptions(args);
  const rows = all.filter(
    ({ name }) => options.names.length === 0 || options.names.some((begin) => name.startsWith(begin)),
  );
  if (rows.length === 0)
    throw new Error(`No row is called that. There are: ${all.map(({ name }) => name).join(", ")}.`);
  if (options.list)
    return void process.stdout.write(rows.map(({ name, what }) => `${name.padEnd(18)} ${what}\n`).join(""));
  const earlier =
    options.compare === null ? null : (JSON.parse(await readFile(options.compare, "utf8")) as Report);
  if (options.profile !== null) await mkdir(options.profile, { recursive: true });
  const bench = await openBench(options);
  try {
    say("the machine");
    const machine = await measureMachine(bench.databaseUrl, Math.min(options.seconds, 2));
    const results: Record<string, Result> = {};
    for (const row of rows) {
      say(row.name);
      results[row.name] = await measureRow(bench, row);
    }
    const report = {
      at: new Date().toISOString(),
      node: process.version,
      issues: options.issues,
      machine,
      rows: results,
    };
    process.stdout.write(printReport(rows, report, earlier));
    if (options.out !== null) await writeFile(options.out, `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    await bench.close();
  }
};

const say = (text: string) => void process.stderr.write(`${text}\n`);

/** Measures all rounds of a row; the processor time includes that of the runs it wakes. */
const measureRow = async (bench: Bench, row: Row): Promise<Result> => {
  const prepared = await row.prepare(bench);
  const rounds: Figures[] = [];
  const spent = { service: 0, database: 0 };
  try {
    await bench.idle();
    for (let n = 0; n < bench.options.rounds; n++) {
      await prepared.again?.();
      const before = bench.spent();
      const round = async () => {
        rounds.push(await prepared.round());
        await bench.idle();
      };
      await (n === 0 ? bench.profiled(row.name, round) : round());
      const after = bench.spent();
      spent.service += after.service - before.service;
      spent.database += after.database - before.database;
    }
  } finally {
    await prepared.end?.();
  }
  await bench.idle();
  const operations = rounds.reduce((sum, each) => sum + each.operations, 0);
  const middle = (of: (each: Figures) => number | undefined) => {
    const values = rounds.map(of).filter((value) => value !== undefined);
    return values.length === 0 ? null : median(values);
  };
  return {
    unit: row.unit,
    values: rounds.map(({ value }) => value),
    value: median(rounds.map(({ value }) => value)),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    serviceMs: spent.service / operations,
    databaseMs: spent.database / operations,
  };
};

await main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  process.exitCode = 1;
});
