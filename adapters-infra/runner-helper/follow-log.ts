import type { FrameReader } from "./frame-reader.ts";

/**
 * Opens the log of one program as its bytes, from the line that the helper printed at a time of its clock, or before;
 * null: from the beginning. Lines read twice are dropped.
 */
export type OpenLog = (
  fromMs: number | null,
  follow: boolean,
  signal: AbortSignal,
) => Promise<AsyncIterable<Buffer>>;

const againMs = 500;
/** A connection that says nothing for so long may be dead. */
const silentMs = 30_000;

/** Reads a program's log to the helper's last word, over as many connections as it takes, until `over` fires. */
export const followLog = async (open: OpenLog, reader: FrameReader, over: AbortSignal): Promise<void> => {
  while (!over.aborted && reader.outcome() === null) {
    await readLog(open, reader, true, over);
    if (reader.outcome() === null) await pause(againMs, over);
  }
};

/**
 * Reads over one connection. One that breaks is no failure: the next one begins before the break. Returns whether the
 * log has ended by itself.
 */
export const readLog = async (
  open: OpenLog,
  reader: FrameReader,
  follow: boolean,
  over: AbortSignal,
): Promise<boolean> => {
  let isWhole = false;
  const broken = new AbortController();
  let watch: NodeJS.Timeout | undefined;
  const stillThere = () => {
    clearTimeout(watch);
    watch = setTimeout(() => broken.abort(), silentMs);
  };
  // Output that the service cannot store is its failure, and ends the run; a broken connection is none.
  const failures: unknown[] = [];
  const take = (line: string) => reader.take(line).catch((error: unknown) => void failures.push(error));
  try {
    stillThere();
    const log = await open(reader.lastAt(), follow, AbortSignal.any([over, broken.signal]));
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of log) {
      clearTimeout(watch);
      let text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let end = text.indexOf(10); end >= 0 && failures.length === 0; end = text.indexOf(10)) {
        const line = text.toString("utf8", 0, end);
        text = text.subarray(end + 1);
        await take(line);
      }
      if (failures.length > 0) break;
      rest = text;
      stillThere();
    }
    isWhole = true;
  } catch {
    // The connection, not the log.
  }
  clearTimeout(watch);
  broken.abort();
  if (failures.length > 0) throw failures[0];
  return isWhole;
};

/** Ends early when the signal fires. */
export const pause = (ms: number, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (over.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      over.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    over.addEventListener("abort", done, { once: true });
  });
