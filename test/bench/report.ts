import Table from "cli-table3";
import type { MachineFigure } from "./machine.ts";
import { median } from "./measure.ts";
import { meetsAim, type Row } from "./row.ts";

/** The results of a row over all rounds, as the file stores them. */
export interface Result {
  readonly unit: Row["unit"];
  readonly values: readonly number[];
  readonly value: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** Processor time per operation: the service with its programs, and the database. */
  readonly serviceMs: number;
  readonly databaseMs: number;
  /** The memory of the service's process a minute later; null where it was not measured. */
  readonly laterMb: number | null;
}

export interface Report {
  readonly at: string;
  readonly node: string;
  readonly issues: number;
  readonly machine: MachineFigure;
  readonly rows: Readonly<Record<string, Result>>;
}

const round = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

const spread = ({ values, unit }: Result): string => {
  const range = values.length > 1 ? ` (${round(Math.min(...values))}–${round(Math.max(...values))})` : "";
  return `${round(median(values))} ${unit}${range}`;
};

export const printReport = (
  rows: readonly Row[],
  { machine, rows: results }: Report,
  earlier: Report | null,
): string => {
  const isMeasuredLater = rows.some(({ name }) => results[name]!.laterMb !== null);
  const table = new Table({
    head: [
      "",
      "measured",
      "p50, p99 ms",
      "service, database ms each",
      "of the machine's",
      "aim",
      "",
      ...(isMeasuredLater ? ["MB a minute later"] : []),
      ...(earlier ? ["before"] : []),
    ],
    style: { head: [], border: [], compact: true },
  });
  for (const row of rows) {
    const result = results[row.name]!;
    const met = meetsAim(row, result.value, result.p99Ms);
    const before = earlier?.rows[row.name];
    table.push([
      row.what,
      spread(result),
      result.p50Ms === null ? "" : `${round(result.p50Ms)}, ${round(result.p99Ms ?? 0)}`,
      `${round(result.serviceMs)}, ${round(result.databaseMs)}`,
      row.reference === undefined
        ? ""
        : `${round(result.value / machine[row.reference])} of ${references[row.reference]}`,
      row.aim === null
        ? ""
        : `${row.unit === "/s" ? "≥" : "≤"} ${row.aim} ${row.unit}${row.p99Aim === undefined ? "" : `, p99 ≤ ${row.p99Aim} ms`}`,
      met === null ? "" : met ? "met" : "missed",
      ...(isMeasuredLater ? [round(result.laterMb ?? 0)] : []),
      ...(earlier
        ? [before === undefined ? "" : `${round(before.value)}: ×${round(result.value / before.value)}`]
        : []),
    ]);
  }
  return `${table.toString()}\n${machineLine("The machine", machine)}${earlier ? machineLine(`Before (${earlier.at})`, earlier.machine) : ""}`;
};

const references: Readonly<Record<keyof MachineFigure, string>> = {
  select: "selects",
  transaction: "transactions",
  hotRow: "hot row",
  answer: "bare answers",
  spawn: "bare spawns",
};

const machineLine = (who: string, { select, transaction, hotRow, answer, spawn }: MachineFigure): string =>
  `${who}, a second: ${round(select)} prepared selects, ${round(transaction)} transactions of three rows, ${round(hotRow)} on one hot row, ${round(answer)} bare node:http answers, ${round(spawn)} bare spawns.\n`;
