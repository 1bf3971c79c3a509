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
  /** Processor time of all rounds. */
  serviceMs: number;
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
        "p50 ms (processor time of service + database, ms each)",
        ...sizes.map((size) => `${size} issues`),
        "",
        "",
      ],
      style: { head: [], border: [], compact: true },
    });
    for (const row of rows) {
      const cells = await compareRow(row, benches, options.rounds);
      say(cells.join("  "));
      table.push(cells);
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
    sized.push({ bench, prepared, p50s: [], serviceMs: 0, databaseMs: 0, operations: 0 });
  }
  try {
    for (let n = 0; n < rounds; n++) for (const size of sized) await playRound(row, size);
  } finally {
    for (const { bench, prepared } of sized) {
      await prepared.end?.();
      await bench.idle();
    }
  }
  const p50s = sized.map((size) => median(size.p50s));
  const spent = sized.map(({ serviceMs, databaseMs, operations }) => (serviceMs + databaseMs) / operations);
  const cells = sized.map(
    ({ serviceMs, databaseMs, operations }, at) =>
      `${p50s[at]!.toFixed(2)} (${(serviceMs / operations).toFixed(2)} + ${(databaseMs / operations).toFixed(2)})`,
  );
  const [slowest, costliest] = [p50s, spent].map((of) => Math.max(...of) / of[0]!);
  return [
    row.what,
    ...cells,
    `×${slowest!.toFixed(2)} (×${costliest!.toFixed(2)})`,
    verdict(slowest!, costliest!),
  ];
};

/** Another load of the machine lengthens the time of an operation, and not the processor time. */
const verdict = (slowest: number, costliest: number): string => {
  if (slowest <= allowed) return "met";
  return costliest <= allowed ? "met by processor time" : "missed";
};

const playRound = async ({ unit }: Row, size: Sized): Promise<void> => {
  const { bench, prepared } = size;
  await prepared.again?.();
  const before = bench.spent();
  const { p50Ms, value, operations }: Figures = await prepared.round();
  await bench.idle();
  const after = bench.spent();
  size.serviceMs += after.service - before.service;
  size.databaseMs += after.database - before.database;
  size.operations += operations;
  size.p50s.push(p50Ms ?? (unit === "/s" ? 1000 / value : value));
};
