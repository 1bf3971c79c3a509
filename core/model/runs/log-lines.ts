/** A record of a run's stored log: a piece of a stream, which may end inside a line. */
export interface LogRecord {
  /** When it was logged. */
  readonly ts: string;
  readonly stream: string;
  readonly chunk: string;
}

/** A line that a program has written, with the time at which it began. */
export interface LoggedLine {
  readonly stream: string;
  readonly line: string;
  readonly ts: string;
}

/** Skips bytes that are no record: an offset from a client may point into the middle of one. */
export const recordsOf = (ndjson: string): readonly LogRecord[] =>
  ndjson.split("\n").flatMap((line) => {
    try {
      const record = JSON.parse(line) as Partial<LogRecord> | null;
      return typeof record?.chunk === "string" ? [record as LogRecord] : [];
    } catch {
      return [];
    }
  });

/** Builds lines from records in order. */
export interface LineJoiner {
  /** Returns the lines that end in these records. */
  add(records: readonly LogRecord[]): readonly LoggedLine[];
  /** Returns the unfinished line of each stream. */
  unended(): readonly LoggedLine[];
}

/** Joins the chunks of each stream: they end where the program paused, and lines may span them. */
export const joinLines = (): LineJoiner => {
  const begun = new Map<string, BegunLine>();
  return {
    add: (records) => {
      const lines: LoggedLine[] = [];
      for (const { ts, stream, chunk } of records) {
        // Joined at its end only: a progress display may write one line in many thousands of chunks.
        const [first = "", ...others] = chunk.split("\n");
        const unended = begun.get(stream) ?? { ts, pieces: [] };
        if (first !== "") unended.pieces.push(first);
        const rest = others.pop();
        if (rest === undefined) {
          if (unended.pieces.length > 0) begun.set(stream, unended);
          continue;
        }
        lines.push({ stream, line: unended.pieces.join(""), ts: unended.ts });
        for (const line of others) lines.push({ stream, line, ts });
        if (rest === "") begun.delete(stream);
        else begun.set(stream, { ts, pieces: [rest] });
      }
      return lines;
    },
    unended: () => [...begun].map(([stream, { pieces, ts }]) => ({ stream, line: pieces.join(""), ts })),
  };
};

/** An unfinished line: its start and its text so far. */
interface BegunLine {
  readonly ts: string;
  readonly pieces: string[];
}
