import { cut } from "../print/words.ts";
import { harmless, type Terminal } from "../terminal.ts";

/** One line of a run's stored log. */
export interface LogRecord {
  readonly ts: string;
  readonly stream: string;
  readonly chunk: string;
}

type Json = Readonly<Record<string, unknown>>;

const textLines = 12;
const resultLines = 4;

/**
 * Prints a run's log for people. Of a coding agent's JSON lines it shows messages, tool calls and results; other lines
 * stay as they are. Chunks may end in the middle of a line.
 */
export const transcript = ({ colors, width }: Pick<Terminal, "colors" | "width">) => {
  const held = new Map<string, string>();
  const columns = Math.max(40, (width ?? 120) - 2);

  const few = (text: string, most: number, lead: string): string => {
    const lines = harmless(text).trimEnd().split("\n");
    const shown = lines.slice(0, most).map((line) => `${lead}${cut(line, columns - 2)}\n`);
    if (lines.length > most) shown.push(`${lead}${colors.dim(`… ${lines.length - most} more lines`)}\n`);
    return shown.join("");
  };

  const block = (part: Json): string => {
    switch (part.type) {
      case "text":
        return few(String(part.text ?? ""), 200, "").replace(/^(?=.)/, `${colors.cyan("●")} `);
      case "thinking":
        return colors.dim(few(String(part.thinking ?? ""), textLines, "  "));
      case "tool_use":
        return `${colors.yellow("→")} ${colors.bold(harmless(String(part.name ?? "tool")))} ${cut(callOf(part.input), columns - 20)}\n`;
      case "tool_result": {
        const text = contentOf(part.content);
        const failed = part.is_error === true;
        return text.trim() === ""
          ? ""
          : few(text, resultLines, failed ? colors.red("  ✗ ") : colors.dim("  │ "));
      }
      default:
        return "";
    }
  };

  const readable = (line: string): string | null => {
    const event = parsed(line);
    switch (event?.type) {
      case "system":
        return event.subtype === "init"
          ? colors.dim(`session with ${harmless(String(event.model ?? "a model"))}\n`)
          : "";
      case "assistant":
      case "user":
        return blocksOf(event).map(block).join("");
      case "result": {
        const cost = typeof event.total_cost_usd === "number" ? `, $${event.total_cost_usd.toFixed(2)}` : "";
        return event.is_error === true
          ? `${colors.red("✗")} ${few(String(event.result ?? event.subtype ?? "failed"), textLines, "").trimEnd()}\n`
          : colors.dim(`the agent is done${cost}\n`);
      }
      default:
        return null;
    }
  };

  const lineText = (stream: string, line: string): string => {
    const known = stream === "stdout" && line.startsWith("{") ? readable(line) : null;
    if (known !== null) return known;
    const text = harmless(line);
    return `${stream === "stderr" ? colors.red(text) : stream === "system" ? colors.dim(text) : text}\n`;
  };

  return {
    /** Prints the complete lines; an unfinished line waits for its end. */
    print: ({ stream, chunk }: LogRecord): string => {
      const lines = `${held.get(stream) ?? ""}${chunk}`.split("\n");
      held.set(stream, lines.pop() ?? "");
      return lines.map((line) => lineText(stream, line)).join("");
    },
    /** The last line without a line end. */
    rest: (): string =>
      [...held].map(([stream, line]) => (line === "" ? "" : lineText(stream, line))).join(""),
  };
};

const parsed = (line: string): Json | null => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
};

const blocksOf = (event: Json): readonly Json[] => {
  const content = (event.message as Json | undefined)?.content;
  return Array.isArray(content)
    ? (content as Json[])
    : typeof content === "string"
      ? [{ type: "text", text: content }]
      : [];
};

const contentOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((part: Json) => (typeof part.text === "string" ? part.text : "")).join("\n")
      : "";

/** Gives the most telling argument of a call, else all of them. */
const callOf = (input: unknown): string => {
  const given = (typeof input === "object" && input !== null ? input : {}) as Json;
  const mostTelling =
    given.command ?? given.file_path ?? given.path ?? given.pattern ?? given.url ?? given.description;
  return harmless(typeof mostTelling === "string" ? mostTelling : JSON.stringify(given)).replace(/\s+/g, " ");
};
