import Table from "cli-table3";
import { harmless, type Terminal } from "./terminal.ts";
import { cut, displayWidth } from "./words.ts";

export interface Cell {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

export interface Heading {
  readonly title: string;
  /** Gives way where the terminal is narrow. */
  readonly grows?: boolean | undefined;
}

const noLines = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid"])
    .map((part) => [part, ""]),
);

const gap = 2;
const narrowest = 12;

/** Rows under headings, without lines. A person's terminal decides how much of the long ones is shown; a pipe gets all. */
export const table = (
  headings: readonly Heading[],
  rows: readonly (readonly Cell[])[],
  { width, colors }: Pick<Terminal, "width" | "colors">,
): string => {
  const texts = rows.map((row) => row.map(({ text }) => oneLine(text)));
  const widths = headings.map(({ title }, at) =>
    Math.max(displayWidth(title), ...texts.map((row) => displayWidth(row[at] ?? ""))),
  );
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

const squeeze = (headings: readonly Heading[], widths: number[], width: number): void => {
  const total = () => widths.reduce((sum, one) => sum + one, 0) + gap * (widths.length - 1);
  while (total() > width) {
    const widest = headings
      .map(({ grows }, at) => (grows ? at : -1))
      .filter((at) => at >= 0 && widths[at]! > narrowest)
      .sort((a, b) => widths[b]! - widths[a]!)[0];
    if (widest === undefined) return;
    widths[widest] = Math.max(narrowest, widths[widest]! - (total() - width));
  }
};

export const oneLine = (text: string): string => harmless(text).replace(/\s+/g, " ").trim();

/** Names and values in two columns. */
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
