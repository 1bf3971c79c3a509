import { harmless } from "../terminal.ts";
import type { Paper } from "./cells.ts";
import { labelOf } from "./label-of.ts";

/** A text below a heading. */
export const section = (title: string, body: string, { colors }: Paper): string =>
  `\n${colors.dim(labelOf(title))}\n${body}`;

/** Each line of a text, led by two spaces or what is given. */
export const indented = (text: string, by = "  "): string =>
  `${harmless(text)
    .trimEnd()
    .split("\n")
    .map((line) => `${by}${line}`)
    .join("\n")}\n`;
