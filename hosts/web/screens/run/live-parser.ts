import { joinLines, type LoggedLine, recordsOf } from "../../../../core/model/runs/log-lines.ts";
import type { ParsedEntry } from "../../../../core/model/runs/parsed-entries.ts";
import { call } from "../../live/calls.ts";
import { type OpenParser, openParser } from "./open-parser.ts";

/** Turns the pieces of a log that follow an offset into entries. */
export interface LiveParser {
  /** Takes the next piece; returns the entries of the lines that end in it. */
  add(content: string): Promise<readonly ParsedEntry[]>;
  /** Why lines are unparsed, as a sentence; null while they are parsed. */
  notParsedReason(): string | null;
  close(): void;
}

/** Read before the offset: a line may begin there, and parsers may keep state. As much as the service reads back. */
const readBackBytes = 256 * 1024;

/** Opens the UI parser of an adapter in the browser's sandbox, at a position of a run's log. */
export const openLiveParser = async (
  runId: string,
  adapterType: string,
  offset: number,
): Promise<LiveParser> => {
  const joiner = joinLines();
  let parser: OpenParser | null = null;
  let reason: string | null = null;
  const fail = (error: unknown) => {
    reason = error instanceof Error ? error.message : String(error);
    parser?.close();
    parser = null;
  };
  const entriesOf = async (lines: readonly LoggedLine[]): Promise<readonly ParsedEntry[]> => {
    const stdout = lines.filter(({ stream }) => stream === "stdout");
    const entries = stdout.length === 0 ? [] : await parser?.parse(stdout).catch(fail);
    let number = 0;
    return lines.flatMap(({ stream, line, ts }): readonly ParsedEntry[] => {
      const parsed = stream === "stdout" ? entries?.[number++] : undefined;
      return parsed ?? (line.trim() === "" ? [] : [{ kind: stream, ts, text: line }]);
    });
  };
  try {
    const { body } = await call("adapters.uiParser", { adapterType });
    parser = openParser(await new Response(body).text());
  } catch (error) {
    fail(error);
  }
  if (offset > 0) {
    const from = Math.max(0, offset - readBackBytes);
    const { content } = await call("runs.log", { runId, offset: from, limitBytes: offset - from });
    await entriesOf(joiner.add(recordsOf(from === 0 ? content : content.replace(/^.*\n?/, ""))));
  }
  return {
    add: (content) => entriesOf(joiner.add(recordsOf(content))),
    notParsedReason: () => reason,
    close: () => parser?.close(),
  };
};
