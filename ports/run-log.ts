import type * as Effect from "effect/Effect";
import type { CompanyId, RunId } from "../core/model/shared/ids.ts";
import type { LogStream } from "./agent-adapter.ts";
import type { BlobsUnavailable } from "./blob-store.ts";

/**
 * Writes the log of one run: NDJSON, one object a line with `ts`, `stream`, `chunk` and `seq`, stored in segments that
 * end at a line end, so that any server can serve any part of it at any time.
 */
export interface RunLogWriter {
  /** Waits when storage is slow. Decodes text as UTF-8, joins split characters, replaces invalid ones. */
  write(stream: LogStream, chunk: Uint8Array | string): Effect.Effect<void>;
  /** Returns the last lines written, at most 4 KiB of text. */
  tail(): string;
  /** Stores the remaining text. */
  close(): Effect.Effect<void>;
}

/** A log that another writer has begun. What comes again in the same order is not stored again. */
export interface ContinuedRunLog extends RunLogWriter {
  /** Whether output that is stored already may still come again. */
  repeats(): boolean;
}

/** The logs of all runs, by run. */
export interface RunLogs {
  open(companyId: CompanyId, runId: RunId): Effect.Effect<RunLogWriter>;
  /**
   * Opens the log of a run whose writer is gone. The new one gets all output of the run from the first byte on: of each
   * stream it stores what follows the stored part.
   */
  continue(companyId: CompanyId, runId: RunId): Effect.Effect<ContinuedRunLog, BlobsUnavailable>;
  /**
   * Reads stored text from `offset` on, at most about `limitBytes`, cut at a line end; nextOffset is the next start.
   */
  read(
    runId: RunId,
    offset: number,
    limitBytes: number,
  ): Effect.Effect<{ content: string; nextOffset: number }, BlobsUnavailable>;
}
