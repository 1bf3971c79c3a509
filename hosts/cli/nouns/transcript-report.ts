import type { z } from "zod";
import type { TranscriptShape } from "../../api/runs/run-shapes.ts";
import type { Paper } from "../print/cells.ts";
import { oneLine } from "../print/table.ts";
import { harmless } from "../terminal.ts";

type Transcript = z.output<typeof TranscriptShape>;
type Entry = Transcript["entries"][number];

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

const below = (text: string, lead: string): string =>
  harmless(text)
    .trimEnd()
    .split("\n")
    .map((line) => `${lead}${line}\n`)
    .join("");

/** Prints a transcript for people, each entry by its kind. */
export const transcriptReport = (
  { entries, complete, nextOffset, notParsedReason }: Transcript,
  paper: Paper,
): string => {
  const { colors } = paper;
  const printed = entries.map((entry) => printEntry(entry, paper)).join("");
  const notes = [
    ...(notParsedReason === null ? [] : [`Not parsed: ${notParsedReason}`]),
    ...(complete ? [] : [`More entries follow: --offset ${nextOffset}`]),
  ];
  return `${printed}${notes.map((note) => `${colors.dim(note)}\n`).join("")}`;
};

const printEntry = (entry: Entry, { colors }: Paper): string => {
  const { kind, text, name, input, content, isError, model, sessionId, costUsd } = entry;
  switch (kind) {
    case "assistant":
      return below(textOf(text), "").replace(/^/, `${colors.cyan("●")} `);
    case "thinking":
      return colors.dim(below(textOf(text), "  "));
    case "user":
      return below(textOf(text), "> ");
    case "tool_call":
      return `${colors.yellow("→")} ${colors.bold(oneLine(textOf(name)))} ${oneLine(textOf(input))}\n`;
    case "tool_result":
      return textOf(content).trim() === "" ? "" : below(textOf(content), isError === true ? "  ✗ " : "  │ ");
    case "init":
      return colors.dim(
        `session ${oneLine(textOf(sessionId))} ${oneLine(textOf(model))}`.trim().concat("\n"),
      );
    case "result": {
      const cost = typeof costUsd === "number" && costUsd > 0 ? `, $${costUsd.toFixed(4)}` : "";
      return isError === true
        ? `${colors.red("✗")} ${below(textOf(text) || "failed", "")}`
        : colors.dim(`done${cost}\n`);
    }
    case "stderr":
      return colors.red(below(textOf(text), ""));
    case "system":
      return colors.dim(below(textOf(text), ""));
    case "stdout":
      return below(textOf(text), "");
    default: {
      const { kind: _, ts: __, ...rest } = entry;
      return colors.dim(`${oneLine(kind)} ${oneLine(textOf(text) || JSON.stringify(rest))}\n`);
    }
  }
};
