import Table from "cli-table3";
import { type Bench, openBench } from "./bench.ts";
import { type Figures, median } from "./measure.ts";
import type { Options } from "./options.ts";
import type { Prepared, Row } from "./row.ts";

/** How much slower a row may be at another size than at the first. */
const allowed = 1.3;

/** A row at one size, with the figures of its rounds. */
interface Sized {
  readonly bench: Bench;
  readonly prepared: Prepared;
  readonly p50s: number[];
  databaseMs: number;
  operations: number;
}

/**
 * Compares the rows at several sizes of the company. Each size has a service and a database of its own, and the sizes
 * take turns, so that another load of the machine meets all of them.
 */
export const compareSizes = async (
  options: Options,
  sizes: readonly number[],
  rows: readonly Row[],
  say: (text: string) => void,
): Promise<string> => {
  const benches: Bench[] = [];
  try {
    for (const issues of sizes) {
      say(`a company of ${issues} issues`);
      benches.push(await openBench({ ...options, issues }));
    }
    const table = new Table({
      head: [
        "p50 ms (processor time of the database, ms each)",
        ...sizes.map((size) => `${size} issues`),
        "",
        "",
      ],
      style: { head: [], border: [], compact: true },
    });
    for (const row of rows) {
      say(row.name);
      table.push(await compareRow(row, benches, options.rounds));
    }
    return `${table.toString()}\n`;
  } finally {
    for (const bench of benches) await bench.close();
  }
};

const compareRow = async (row: Row, benches: readonly Bench[], rounds: number): Promise<string[]> => {
  const sized: Sized[] = [];
  for (const bench of benches) {
    const prepared = await row.prepare(bench);
    await bench.idle();
    sized.push({ bench, prepared, p50s: [], databaseMs: 0, operations: 0 });
  }
  try {
    for (let n = 0; n < rounds; n++) for (const size of sized) await playRound(size);
  } finally {
    for (const { bench, prepared } of sized) {
      await prepared.end?.();
      await bench.idle();
    }
  }
  const p50s = sized.map((size) => median(size.p50s));
  const slowest = Math.max(...p50s) / p50s[0]!;
  const databaseMs = sized.map((size) => size.databaseMs / size.operations);
  const costliest = Math.max(...databaseMs) / databaseMs[0]!;
  const cells = p50s.map((p50, at) => `${p50.toFixed(2)} (${databaseMs[at]!.toFixed(2)})`);
  const factors = `×${slowest.toFixed(2)} (×${costliest.toFixed(2)})`;
  return [row.what, ...cells, factors, slowest <= allowed ? "met" : "missed"];
};

const playRound = async (size: Sized): Promise<void> => {
  const { bench, prepared } = size;
  await prepared.again?.();
  const before = bench.spent().database;
  const { p50Ms, value, operations }: Figures = await prepared.round();
  size.databaseMs += bench.spent().database - before;
  size.operations += operations;
  size.p50s.push(p50Ms ?? value);
};
