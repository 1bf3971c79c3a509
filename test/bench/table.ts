import Table from "cli-table3";
import { median } from "./load.ts";

/** One row: what we did, what the bare thing did, and what is judged of it (a ratio, or a difference). */
export interface Measured {
  readonly name: string;
  readonly unit: "/s" | "ms" | "MB";
  readonly ours: readonly number[];
  /** Empty where there is no bare thing. */
  readonly bare: readonly number[];
  readonly verdict: readonly number[];
  readonly aim: string;
  /** null where nothing is aimed at. */
  readonly met: boolean | null;
}

const round = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/** Median, and from the least to the most. */
const spread = (values: readonly number[]): string =>
  values.length === 0
    ? ""
    : values.length === 1
      ? round(values[0]!)
      : `${round(median(values))} (${round(Math.min(...values))}–${round(Math.max(...values))})`;

export const printTable = (rows: readonly Measured[], rounds: number): string => {
  const table = new Table({
    head: ["", "service", "bare", "ratio or difference", "aim", ""],
    style: { head: [], border: [], compact: true },
  });
  for (const { name, unit, ours, bare, verdict, aim, met } of rows)
    table.push([
      name,
      `${spread(ours)} ${unit}`,
      bare.length === 0 ? "" : `${spread(bare)} ${unit}`,
      bare.length === 0 ? "" : spread(verdict),
      aim,
      met === null ? "" : met ? "met" : "missed",
    ]);
  return `${table.toString()}\nMedian (least–most) of ${rounds} rounds; the bare thing is measured right before the service, on the same machine and database.\n`;
};
