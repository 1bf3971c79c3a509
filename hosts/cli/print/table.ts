import Table from "cli-table3";
import { harmless, type Terminal } from "../terminal.ts";
import { cut, displayWidth } from "./format.ts";

export interface Cell {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

export interface Heading {
  readonly title: string;
  /** Set if a narrow terminal cuts the column, to 12 columns or to this number. */
  readonly grows?: boolean | number | undefined;
  /** Set if the column is left out when cutting is not enough, 1 first. Ids and decisive columns stay. */
  readonly goes?: number | undefined;
}

const noLines = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid"])
    .map((part) => [part, ""]),
);

const gap = 2;
const narrowest = 12;

/** Prints rows under headings, without lines. A terminal's width cuts long columns; a pipe gets all. */
export const table = (
  all: readonly Heading[],
  allRows: readonly (readonly Cell[])[],
  { width, colors }: Pick<Terminal, "width" | "colors">,
): string => {
  const natural = all.map(({ title }, at) =>
    Math.max(displayWidth(title), ...allRows.map((row) => displayWidth(oneLine(row[at]?.text ?? "")))),
  );
  const shown = width === null ? [...all.keys()] : fitting(all, natural, width);
  const headings = shown.map((at) => all[at]!);
  const rows = allRows.map((row) => shown.map((at) => row[at] ?? { text: "" }));
  const texts = rows.map((row) => row.map(({ text }) => oneLine(text)));
  const widths = shown.map((at) => natural[at]!);
  if (width !== null) squeeze(headings, widths, width);
  const drawn = new Table({
    chars: { ...noLines, middle: " ".repeat(gap) },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
  });
  drawn.push(headings.map(({ title }) => colors.dim(title)));
  rows.forEach((row, line) => {
    drawn.push(
      row.map(({ paint }, at) => {
        const text = cut(texts[line]?.[at] ?? "", widths[at] ?? 0);
        return paint === undefined ? text : paint(text);
      }),
    );
  });
  return `${drawn
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")}\n`;
};

const sum = (widths: readonly number[]): number =>
  widths.reduce((total, one) => total + one, 0) + gap * (widths.length - 1);

/** Gives the least width of a column; its title stays whole. */
const least = ({ title, grows }: Heading, natural: number): number =>
  !grows ? natural : Math.min(natural, Math.max(displayWidth(title), grows === true ? narrowest : grows));

/** Gives the columns that fit when each has its least width. */
const fitting = (headings: readonly Heading[], natural: readonly number[], width: number): number[] => {
  let shown = [...headings.keys()];
  while (sum(shown.map((at) => least(headings[at]!, natural[at]!))) > width) {
    const next = shown
      .filter((at) => headings[at]!.goes !== undefined)
      .sort((a, b) => headings[a]!.goes! - headings[b]!.goes!)[0];
    if (next === undefined) return shown;
    shown = shown.filter((at) => at !== next);
  }
  return shown;
};

const squeeze = (headings: readonly Heading[], widths: number[], width: number): void => {
  const floors = headings.map((heading, at) => least(heading, widths[at]!));
  while (sum(widths) > width) {
    const widest = [...headings.keys()]
      .filter((at) => widths[at]! > floors[at]!)
      .sort((a, b) => widths[b]! - widths[a]!)[0];
    if (widest === undefined) return;
    widths[widest] = Math.max(floors[widest]!, widths[widest]! - (sum(widths) - width));
  }
};

export const oneLine = (text: string): string => harmless(text).replace(/\s+/g, " ").trim();

/** Prints names and values in two columns. */
export const pairs = (
  entries: readonly (readonly [string, Cell])[],
  { colors }: Pick<Terminal, "colors">,
): string => {
  const width = Math.max(0, ...entries.map(([name]) => displayWidth(name)));
  return entries
    .map(([name, { text, paint }]) => {
      const [first = "", ...more] = harmless(text).split("\n");
      const painted = paint === undefined ? first : paint(first);
      const rest = more.map((line) => `\n${" ".repeat(width + gap + 2)}${line}`).join("");
      return `  ${colors.dim(name.padEnd(width))}${" ".repeat(gap)}${painted}${rest}\n`;
    })
    .join("");
};
