import type * as Effect from "effect/Effect";
import type { CompanyId, RunId } from "../core/shared/ids.ts";
import type { LogStream } from "./agent-adapter.ts";
import type { BlobsUnavailable } from "./blob-store.ts";

/**
 * The log of one run while it is written: NDJSON, one object a line with `ts`, `stream`, `chunk` and `seq`, stored in
 * segments that end at a line end, so that any server can serve any part of it at any time.
 */
export interface RunLogWriter {
  /** Waits when storage cannot keep up. Text is decoded as UTF-8, split characters joined, invalid ones replaced. */
  write(stream: LogStream, chunk: Uint8Array | string): Effect.Effect<void>;
  /** The last lines written, at most 4 KiB of text. */
  tail(): string;
  /** Stores what is held back. */
  close(): Effect.Effect<void>;
}

/** The logs of all runs, by run. */
export interface RunLogs {
  open(companyId: CompanyId, runId: RunId): Effect.Effect<RunLogWriter>;
  /** Stored text from `offset` on, at most about `limitBytes`, cut at a line end; nextOffset where it goes on. */
  read(
    runId: RunId,
    offset: number,
    limitBytes: number,
  ): Effect.Effect<{ content: string; nextOffset: number }, BlobsUnavailable>;
}
