import { mkdir, readFile, writeFile } from "node:fs/promises";
import { openBench } from "./bench.ts";
import { compareSizes } from "./growth.ts";
import { measureMachine } from "./machine.ts";
import { measureRow } from "./measure-row.ts";
import { type Options, readOptions, usage } from "./options.ts";
import { printReport, type Report, type Result } from "./report.ts";
import type { Row } from "./row.ts";
import { agentReads } from "./rows/agent-reads.ts";
import { events } from "./rows/events.ts";
import { followers } from "./rows/followers.ts";
import { navigation } from "./rows/navigation.ts";
import { page } from "./rows/page.ts";
import { reads } from "./rows/reads.ts";
import { runs } from "./rows/runs.ts";
import { overload } from "./rows/too-much.ts";
import { whole } from "./rows/whole.ts";
import { writes } from "./rows/writes.ts";
import { compareServices, counts } from "./services.ts";
import { costliestStatements } from "./statements.ts";
import { compareTelemetry, tracedRows } from "./telemetry.ts";

const all: readonly Row[] = [
  ...reads,
  ...agentReads,
  ...writes,
  ...runs,
  ...followers,
  ...events,
  ...whole,
  ...page,
  ...navigation,
  ...overload,
];

/** The rows of growth: all whose time could depend on the size of a company. */
const growing = new Set(
  [...reads, ...agentReads, ...writes, ...runs, ...followers, ...whole].filter(
    ({ unit, name }) => unit === "/s" || (unit === "ms" && name !== "second-start"),
  ),
);

/** Rows of a comparison that is not about all rows; null: any row. */
const comparable = ({ growth, services, telemetry }: Options): ReadonlySet<Row> | null => {
  if (growth !== null) return growing;
  if (services) return new Set(all.filter(({ name }) => name in counts));
  return telemetry ? new Set(all.filter(({ name }) => tracedRows.has(name))) : null;
};

const main = async (args: readonly string[]): Promise<void> => {
  if (args.includes("--help")) return void process.stdout.write(usage);
  const options = readOptions(args);
  const rows = all.filter(
    (row) =>
      (comparable(options)?.has(row) ?? true) &&
      (options.names.length === 0 || options.names.some((begin) => row.name.startsWith(begin))),
  );
  if (rows.length === 0)
    throw new Error(`No row is called that. There are: ${all.map(({ name }) => name).join(", ")}.`);
  if (options.list)
    return void process.stdout.write(rows.map(({ name, what }) => `${name.padEnd(18)} ${what}\n`).join(""));
  const earlier =
    options.compare === null ? null : (JSON.parse(await readFile(options.compare, "utf8")) as Report);
  if (options.profile !== null) await mkdir(options.profile, { recursive: true });
  if (options.growth !== null)
    return void process.stdout.write(await compareSizes(options, options.growth, rows, writeLine));
  if (options.services) return void process.stdout.write(await compareServices(options, rows, writeLine));
  if (options.telemetry) return void process.stdout.write(await compareTelemetry(options, rows, writeLine));
  const bench = await openBench(options);
  try {
    writeLine("the machine");
    const machine = await measureMachine(bench.databaseUrl, Math.min(options.seconds, 2));
    const results: Record<string, Result> = {};
    for (const row of rows) {
      writeLine(row.name);
      try {
        results[row.name] = await measureRow(bench, row);
      } catch (error) {
        // The figures of the other rows are worth their minutes.
        reportError(error as Error);
        continue;
      }
      if (options.statements) process.stdout.write(`${row.name}\n${await costliestStatements(bench.sql)}`);
    }
    const report = {
      at: new Date().toISOString(),
      node: process.version,
      issues: options.issues,
      machine,
      rows: results,
    };
    process.stdout.write(
      printReport(
        rows.filter(({ name }) => name in results),
        report,
        earlier,
      ),
    );
    if (options.out !== null) await writeFile(options.out, `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    await bench.close();
  }
};

const writeLine = (text: string) => void process.stderr.write(`${text}\n`);

const reportError = (error: Error) => {
  writeLine(error.stack ?? error.message);
  process.exitCode = 1;
};

await main(process.argv.slice(2)).catch(reportError);
