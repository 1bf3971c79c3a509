import type { z } from "zod";
import type { TranscriptShape } from "../../api/runs/run-shapes.ts";
import { cut } from "../print/format.ts";
import { oneLine } from "../print/table.ts";
import { harmless, type Terminal } from "../terminal.ts";

type Transcript = z.output<typeof TranscriptShape>;
type Entry = Transcript["entries"][number];
type Page = Pick<Terminal, "colors" | "width">;

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
  page: Page,
): string => {
  const { colors } = page;
  const notes = [
    ...(notParsedReason === null ? [] : [`Not parsed: ${notParsedReason}`]),
    ...(complete ? [] : [`More entries follow: --offset ${nextOffset}`]),
  ];
  return `${entriesReport(entries, page)}${notes.map((note) => `${colors.dim(note)}\n`).join("")}`;
};

/** `resultLines`: the lines of a tool's result that are shown; without it, all. */
export const entriesReport = (entries: readonly Entry[], page: Page, resultLines = Infinity): string =>
  entries
    .map((entry) => {
      if (typeof entry.parentToolUseId !== "string") return printEntry(entry, page, resultLines);
      const width = page.width === null ? null : page.width - nested.length;
      return printEntry(entry, { ...page, width }, resultLines).replaceAll(/^(?=.)/gm, nested);
    })
    .join("");

/** Before the lines of a sub-agent. */
const nested = "    ";

const printEntry = (entry: Entry, { colors, width }: Page, resultLines: number): string => {
  const { kind, text, name, input, content, isError, model, sessionId, costUsd } = entry;
  switch (kind) {
    case "assistant":
      return below(textOf(text), "").replace(/^/, `${colors.cyan("●")} `);
    case "thinking":
      return colors.dim(below(textOf(text), "  "));
    case "user":
      return below(textOf(text), "> ");
    case "tool_call": {
      const called = oneLine(textOf(name));
      const room = width === null ? Infinity : width - called.length - 3;
      return `${colors.yellow("→")} ${colors.bold(called)} ${cut(oneLine(argumentOf(input)), room)}\n`;
    }
    case "tool_result": {
      const lines = textOf(content).trimEnd().split("\n");
      const left = lines.length - resultLines;
      const shown = left > 0 ? [...lines.slice(0, resultLines), `… ${left} more lines`] : lines;
      const all = shown.join("\n");
      return all.trim() === "" ? "" : below(all, isError === true ? "  ✗ " : "  │ ");
    }
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

/** The most telling argument of a tool's call, else all of them. */
const argumentOf = (input: unknown): string => {
  const given = (typeof input === "object" && input !== null ? input : {}) as Readonly<
    Record<string, unknown>
  >;
  const telling =
    given.command ?? given.file_path ?? given.path ?? given.pattern ?? given.url ?? given.description;
  return typeof telling === "string" ? telling : textOf(input);
};
