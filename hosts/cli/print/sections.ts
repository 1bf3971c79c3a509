import { harmless } from "../terminal.ts";
import type { Paper } from "./cells.ts";
import { labelOf } from "./label-of.ts";

/** Prints a text below a heading. */
export const section = (title: string, body: string, { colors }: Paper): string =>
  `\n${colors.dim(labelOf(title))}\n${body}`;

/** Indents each line of a text by two spaces or the given lead. */
export const indented = (text: string, by = "  "): string =>
  `${harmless(text)
    .trimEnd()
    .split("\n")
    .map((line) => `${by}${line}`)
    .join("\n")}\n`;
