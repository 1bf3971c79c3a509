import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Table from "cli-table3";
import { type Bench, openBench } from "./bench.ts";
import { median } from "./measure.ts";
import type { Options } from "./options.ts";
import type { Prepared, Row } from "./row.ts";

/** How much more processor time of service and database an operation may take where it is traced. */
const allowed = 1.05;

/** The rows that are compared: reads and writes of one turn, runs, and a mixed load. */
export const tracedRows: ReadonlySet<string> = new Set([
  "get-issue",
  "list-issues-own",
  "create-issue",
  "cost-event",
  "comment-assigned",
  "runs-finished",
  "mixed",
]);

interface Side {
  readonly bench: Bench;
  readonly prepared: Prepared;
  readonly rates: number[];
  /** Processor time of an operation in each round. */
  readonly spent: number[];
}

/**
 * Compares a service without OpenTelemetry and one that exports each request, statement and run to a collector that reads
 * and forgets. They take turns, so that another load of the machine meets both.
 */
export const compareTelemetry = async (
  options: Options,
  rows: readonly Row[],
  say: (text: string) => void,
): Promise<string> => {
  let bytes = 0;
  const collector = createServer((request, response) => {
    request.on("data", (part: Buffer) => {
      bytes += part.length;
    });
    request.on("end", () => response.end());
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  const benches: Bench[] = [];
  try {
    benches.push(await openBench(options));
    benches.push(await openBench(options, 1, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }));
    const table = new Table({
      head: ["(processor ms each)", "without", "with", "processor time", ""],
      style: { head: [], border: [], compact: true },
    });
    for (const row of rows) {
      const cells = await compareRow(row, benches, options.rounds);
      say(cells.join("  "));
      table.push(cells);
    }
    if (bytes === 0) throw new Error("Nothing was exported.");
    return `${table.toString()}\n${(bytes / 1e6).toFixed(1)} MB exported\n`;
  } finally {
    for (const bench of benches) await bench.close();
    collector.close();
  }
};

const compareRow = async (row: Row, benches: readonly Bench[], rounds: number): Promise<string[]> => {
  const sides: Side[] = [];
  for (const bench of benches) {
    const prepared = await row.prepare(bench);
    await bench.idle();
    sides.push({ bench, prepared, rates: [], spent: [] });
  }
  try {
    // The first round of each warms it up.
    for (let n = -1; n < rounds; n++)
      for (const side of n % 2 === 0 ? sides : sides.toReversed()) await playRound(side, n >= 0);
  } finally {
    for (const { bench, prepared } of sides) {
      await prepared.end?.();
      await bench.idle();
    }
  }
  const [without, traced] = sides as [Side, Side];
  const ratio = median(traced.spent.map((ms, n) => ms / without.spent[n]!));
  return [
    row.what,
    ...sides.map(
      ({ rates, spent }) =>
        `${Number(median(rates).toPrecision(3))} ${row.unit} (${median(spent).toFixed(3)})`,
    ),
    `×${ratio.toFixed(3)}`,
    ratio <= allowed ? "met" : "missed",
  ];
};

const playRound = async ({ bench, prepared, rates, spent }: Side, counts: boolean): Promise<void> => {
  await prepared.again?.();
  const before = bench.spent();
  const { value, operations } = await prepared.round();
  await bench.idle();
  const after = bench.spent();
  if (!counts) return;
  rates.push(value);
  spent.push((after.service - before.service + after.database - before.database) / operations);
};
