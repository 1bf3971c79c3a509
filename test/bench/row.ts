import type { Bench } from "./bench.ts";
import type { MachineFigure } from "./machine.ts";
import type { Figures } from "./measure.ts";

/** A row of the table, selectable by its name. */
export interface Row {
  readonly name: string;
  readonly what: string;
  readonly unit: "/s" | "ms" | "MB" | "KB" | "×" | "cores";
  /** The aims on a machine of two cores: a minimum rate, and a maximum for all other figures. */
  readonly aim: number | null;
  /** The maximum of p99 in milliseconds, if the row has one. */
  readonly p99Aim?: number;
  /** Its operations start runs of agents. */
  readonly startsRuns?: boolean;
  /** The machine's reference figure for this row. */
  readonly reference?: keyof MachineFigure;
  /** Prepares the row; is not measured. */
  prepare(bench: Bench): Promise<Prepared>;
}

export interface Prepared {
  /** Runs before each round; is not measured. */
  again?(): Promise<void>;
  round(): Promise<Figures>;
  end?(): Promise<void>;
}

export const meetsAim = (
  { unit, aim, p99Aim }: Pick<Row, "unit" | "aim" | "p99Aim">,
  value: number,
  p99Ms: number | null,
): boolean | null =>
  aim === null ? null : (unit === "/s" ? value >= aim : value <= aim) && (p99Ms ?? 0) <= (p99Aim ?? Infinity);
