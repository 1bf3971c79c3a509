import type { Bench } from "./bench.ts";
import { type Figures, median, pause } from "./measure.ts";
import type { Result } from "./report.ts";
import type { Row } from "./row.ts";
import { forgetStatements } from "./statements.ts";

/** By then a service without work should have given back what a row has taken. */
const laterMs = 60_000;

/** Measures all rounds of a row; the processor time includes that of the runs it wakes. */
export const measureRow = async (bench: Bench, row: Row): Promise<Result> => {
  const prepared = await row.prepare(bench);
  const rounds: Figures[] = [];
  const spent = { service: 0, database: 0 };
  try {
    await bench.idle();
    if (bench.options.statements) await forgetStatements(bench.sql);
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
  if (bench.options.memory) await pause(laterMs);
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
    laterMb: bench.options.memory ? bench.residentMb() : null,
  };
};
