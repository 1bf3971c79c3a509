import type { Bench } from "./bench.ts";
import type { MachineFigure } from "./machine.ts";
import type { Figures } from "./measure.ts";

/** One line of the table, selectable by its name. */
export interface Row {
  readonly name: string;
  readonly what: string;
  readonly unit: "/s" | "ms" | "MB" | "×" | "cores";
  /** What issue 14 aims at on two cores: at least so many a second, at most so much of everything else. */
  readonly aim: number | null;
  /** What the machine does by itself, as the measure of this row. */
  readonly beside?: keyof MachineFigure;
  /** Makes what the row needs; is not measured. */
  prepare(bench: Bench): Promise<Prepared>;
}

export interface Prepared {
  /** Before each round; is not measured. */
  again?(): Promise<void>;
  round(): Promise<Figures>;
  end?(): Promise<void>;
}

export const reaches = ({ unit, aim }: Pick<Row, "unit" | "aim">, value: number): boolean | null =>
  aim === null ? null : unit === "/s" ? value >= aim : value <= aim;
