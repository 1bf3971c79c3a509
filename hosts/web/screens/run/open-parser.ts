import { type ParsedEntry, readEntries } from "../../../../core/model/runs/parsed-entries.ts";
import { clause } from "../../../../core/model/shared/sentence.ts";

/** A UI parser in a sandbox of the browser's. */
export interface OpenParser {
  /** Returns the entries of each line. Rejects with a sentence where the parser cannot be used, then and from then on. */
  parse(lines: readonly ParserLine[]): Promise<readonly (readonly ParsedEntry[])[]>;
  close(): void;
}

interface ParserLine {
  readonly line: string;
  readonly ts: string;
}

/** So much is parsed in far less than the time that the sandbox allows. */
const batchLines = 500;
const batchCharacters = 512 * 1024;
/** The sandbox answers sooner, whatever the parser does: it is not there. */
const patienceMs = 15_000;

/** Allowance for entries beyond the characters of their lines: names of fields, JSON's escapes. */
const maxAnswerOf = (lines: readonly ParserLine[]): number =>
  lines.reduce((sum, { line }) => sum + 8 * line.length + 4 * 1024, 64 * 1024);

/** Starts a parser, given its script, in a frame that is shown nowhere. */
export const openParser = (script: string): OpenParser => {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.setAttribute("aria-hidden", "true");
  frame.title = "UI parser";
  frame.hidden = true;
  frame.src = new URL("sandbox/parser.html", document.baseURI).href;
  const { port1: port, port2 } = new MessageChannel();
  // The frame has an origin of its own, which no name stands for.
  frame.onload = () => frame.contentWindow?.postMessage(script, "*", [port2]);
  document.body.append(frame);
  let last: Promise<unknown> = Promise.resolve();
  const ask = (lines: readonly ParserLine[]) =>
    new Promise<readonly (readonly ParsedEntry[])[]>((resolve, reject) => {
      const refuse = (why: string) => reject(new Error(`The adapter's UI parser ${clause(why)}.`));
      const timer = setTimeout(() => refuse("got no sandbox to run in"), patienceMs);
      port.onmessage = ({
        data,
      }: MessageEvent<{ readonly entries?: string; readonly unusable?: string }>) => {
        clearTimeout(timer);
        if (data.unusable !== undefined) return refuse(data.unusable);
        const entries = readEntries(String(data.entries), lines.length);
        if (entries === null) refuse("gave no list of entries for each line");
        else resolve(entries);
      };
      port.postMessage({ lines, maxAnswer: maxAnswerOf(lines) });
    });
  return {
    parse: async (lines) => {
      const entries: (readonly ParsedEntry[])[] = [];
      for (const batch of batchesOf(lines)) {
        const asked = last.then(() => ask(batch));
        last = asked;
        entries.push(...(await asked));
      }
      return entries;
    },
    close: () => {
      port.close();
      frame.remove();
    },
  };
};

const batchesOf = (lines: readonly ParserLine[]): readonly (readonly ParserLine[])[] => {
  const batches: ParserLine[][] = [];
  let room = 0;
  for (const { line, ts } of lines) {
    if (batches.length === 0 || room < line.length || batches.at(-1)!.length === batchLines) {
      batches.push([]);
      room = batchCharacters;
    }
    batches.at(-1)!.push({ line, ts });
    room -= line.length;
  }
  return batches;
};
