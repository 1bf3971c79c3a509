import { TextDecoder } from "node:util";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Schedule from "effect/Schedule";
import * as Semaphore from "effect/Semaphore";
import type { CompanyId, RunId } from "../../core/model/shared/ids.ts";
import type { LogStream } from "../../ports/agent-adapter.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { ContinuedRunLog, RunLogs } from "../../ports/run-log.ts";
import type { RunViews } from "../../ports/views/run-views.ts";
import type { Database } from "./database.ts";
import { type StoredLog, storedLog } from "./stored-log.ts";

/** A segment is stored at this size, … */
const segmentBytes = 64 * 1024;
/**
 * … or when its first line is this old. The age grows with the log, so that a long quiet run does not store a file a
 * second.
 */
const flushMs = (segments: number): number => (segments < 50 ? 100 : segments < 200 ? 500 : 2_000);
/** Lines of more than this are stored as several segments. */
const maxSegmentBytes = 256 * 1024;
/** Writers wait while more than this is unstored. */
const maxPendingBytes = 1024 * 1024;
/** A read begins at a record: short ones let it begin near the offset that was asked for. */
const maxChunkCharacters = 16 * 1024;
const tailCharacters = 4 * 1024;
/** A failed segment is retried for a minute, which covers a restart of the database. */
const storeAttempts = 120;
const storePauseMs = 500;

/** Limit of the stored output of a run. Output beyond it is read, so that the program continues, but not stored. */
const defaultLogBytes = 64 * 1024 * 1024;

/** Where logs are stored, and how much of each. */
interface LogStorage {
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly maxBytes: number;
}

export const runLogs = (
  database: Database,
  blobs: BlobStore,
  views: Pick<RunViews, "logSegments">,
  maxBytes: number = defaultLogBytes,
): RunLogs => {
  const storage: LogStorage = { database, blobs, maxBytes };
  const read: RunLogs["read"] = (runId, offset, limitBytes) =>
    Effect.gen(function* () {
      const segments = yield* views.logSegments(runId, offset, limitBytes);
      const parts: Uint8Array[] = [];
      for (const { byteOffset, bytes, blobKey } of segments) {
        const start = Math.max(0, offset - byteOffset);
        const part = yield* blobs.get(blobKey, { start, end: bytes });
        if (part === null) break;
        parts.push(part);
      }
      const content = cutAtLineEnd(Buffer.concat(parts), limitBytes);
      return { content: content.toString("utf8"), nextOffset: offset + content.length };
    });
  return {
    open: (companyId, runId) => Effect.sync(() => new SegmentedLog(storage, companyId, runId)),
    continue: (companyId, runId) =>
      Effect.gen(function* () {
        const stored = storedLog();
        for (let from = -1; from < stored.offset(); ) {
          from = stored.offset();
          const part = yield* read(runId, from, continuedBytes);
          stored.add(part.content, part.nextOffset);
        }
        return new SegmentedLog(storage, companyId, runId, stored);
      }),
    read,
  };
};

/** The size of one read of a log that is continued. */
const continuedBytes = 4 * 1024 * 1024;

/** Cuts to at most `limit` bytes at a line end; keeps the first line whole even where it is longer. */
const cutAtLineEnd = (bytes: Buffer, limit: number): Buffer => {
  if (bytes.length <= limit) return bytes;
  const end = bytes.lastIndexOf(0x0a, limit - 1);
  const first = bytes.indexOf(0x0a);
  return bytes.subarray(0, (end === -1 ? first : end) + 1);
};

/**
 * One run's log while it is written. Segments are stored one after the other, in fibers of their own: an interrupted
 * writer leaves nothing unstored.
 */
class SegmentedLog implements ContinuedRunLog {
  readonly #database: Database;
  readonly #blobs: BlobStore;
  readonly #companyId: CompanyId;
  readonly #runId: RunId;
  readonly #decoders = new Map<LogStream, TextDecoder>();
  #lines: string[] = [];
  /**
   * Holds the segment that is being stored, for all segments of the log. Were each its own buffer, runs that print a lot
   * would leave 60 MB of them before V8 collects, between which the C library keeps what is free.
   */
  #segment = Buffer.alloc(0);
  #pendingBytes = 0;
  #offset = 0;
  #segments = 0;
  #seq = 0;
  #tail = "";
  /** Whether a fiber sleeps until the first line is old enough. */
  #isTimed = false;
  /** Whether a fiber waits for its turn to store. */
  #isQueued = false;
  readonly #storing = Semaphore.makeUnsafe(1);
  #failure: Cause.Cause<unknown> | null = null;
  readonly #maxBytes: number;
  #bytes = 0;
  #droppedBytes = 0;
  /** Whether a line says that the log is cut. */
  #isCut = false;
  readonly #stored: StoredLog;

  constructor(
    { database, blobs, maxBytes }: LogStorage,
    companyId: CompanyId,
    runId: RunId,
    stored: StoredLog = storedLog(),
  ) {
    this.#stored = stored;
    this.#offset = stored.offset();
    this.#bytes = stored.offset();
    this.#seq = stored.lines();
    this.#isCut = this.#bytes >= maxBytes;
    this.#maxBytes = maxBytes;
    this.#database = database;
    this.#blobs = blobs;
    this.#companyId = companyId;
    this.#runId = runId;
  }

  write(stream: LogStream, chunk: Uint8Array | string): Effect.Effect<void> {
    return Effect.suspend((): Effect.Effect<void> => {
      if (this.#droppedBytes > 0 && typeof chunk !== "string") {
        // Dropped output costs only its reading.
        this.#droppedBytes += chunk.length;
        this.#remember(new TextDecoder().decode(chunk.subarray(-tailCharacters)));
        return Effect.void;
      }
      this.#append(
        stream,
        typeof chunk === "string" ? chunk : this.#decoder(stream).decode(chunk, { stream: true }),
      );
      if (this.#pendingBytes > maxPendingBytes) return this.#allStored();
      return this.#pendingBytes >= segmentBytes ? this.#storeNow() : this.#storeSoon();
    });
  }

  repeats(): boolean {
    return this.#stored.repeats();
  }

  /** Stored with the run: the database accepts any character but NUL. */
  tail(): string {
    return this.#tail.replaceAll("\0", "\uFFFD");
  }

  close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (const [stream, decoder] of this.#decoders) this.#append(stream, decoder.decode());
      if (this.#droppedBytes > 0)
        this.#line(
          "system",
          `[${this.#droppedBytes} bytes of output are not kept; the last of them were:]\n${this.#tail}`,
        );
      return this.#allStored();
    });
  }

  #decoder(stream: LogStream): TextDecoder {
    const known = this.#decoders.get(stream);
    if (known !== undefined) return known;
    const fresh = new TextDecoder("utf-8");
    this.#decoders.set(stream, fresh);
    return fresh;
  }

  #append(stream: LogStream, output: string): void {
    const text = this.#stored.rest(stream, output);
    for (let at = 0; at < text.length; at += maxChunkCharacters) {
      const chunk = text.slice(at, at + maxChunkCharacters);
      if (this.#droppedBytes > 0) this.#droppedBytes += Buffer.byteLength(chunk);
      else if (this.#bytes >= this.#maxBytes) {
        this.#droppedBytes = Buffer.byteLength(chunk);
        if (!this.#isCut)
          this.#line(
            "system",
            `[the log is cut here, at its limit of ${this.#maxBytes} bytes; the program continues]\n`,
          );
      } else this.#line(stream, chunk);
    }
    this.#remember(output.slice(-tailCharacters));
  }

  #remember(text: string): void {
    this.#tail = (this.#tail + text).slice(-tailCharacters);
  }

  #line(stream: LogStream, chunk: string): void {
    this.#seq += 1;
    const line = `${JSON.stringify({ ts: new Date().toISOString(), stream, chunk, seq: this.#seq })}\n`;
    const bytes = Buffer.byteLength(line);
    this.#lines.push(line);
    this.#pendingBytes += bytes;
    this.#bytes += bytes;
  }

  #storeNow(): Effect.Effect<void> {
    if (this.#isQueued) return Effect.void;
    this.#isQueued = true;
    return Effect.asVoid(Effect.forkDetach(this.#store()));
  }

  #storeSoon(): Effect.Effect<void> {
    if (this.#isTimed) return Effect.void;
    this.#isTimed = true;
    const store = Effect.suspend(() => {
      this.#isTimed = false;
      return this.#store();
    });
    return Effect.delay(store, flushMs(this.#segments)).pipe(Effect.forkDetach, Effect.asVoid);
  }

  /** Stores all current data after the segment in progress. After a failure it stores nothing more. */
  #store(): Effect.Effect<void> {
    const next = Effect.suspend(() => {
      this.#isQueued = false;
      if (this.#lines.length === 0 || this.#failure !== null) return Effect.void;
      const lines = this.#lines;
      this.#lines = [];
      return this.#storeSegments(lines);
    });
    return this.#storing.withPermit(
      Effect.catchCause(next, (cause) => {
        this.#failure = cause;
        return Effect.void;
      }),
    );
  }

  /** Removes the lines that it has stored. */
  #storeSegments(lines: string[]): Effect.Effect<void> {
    return Effect.andThen(
      this.#storeSegment(this.#nextSegment(lines)),
      Effect.suspend(() => (lines.length === 0 ? Effect.void : this.#storeSegments(lines))),
    );
  }

  #nextSegment(lines: string[]): Buffer {
    let length = 0;
    let count = 0;
    for (const line of lines) {
      const bytes = Buffer.byteLength(line);
      if (count > 0 && length + bytes > maxSegmentBytes) break;
      length += bytes;
      count += 1;
    }
    if (this.#segment.length < length)
      this.#segment = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)));
    let at = 0;
    for (const line of lines.splice(0, count)) at += this.#segment.write(line, at);
    return this.#segment.subarray(0, length);
  }

  #storeSegment(bytes: Buffer): Effect.Effect<void> {
    const byteOffset = this.#offset;
    const blobKey = `run-logs/${this.#companyId}/${this.#runId}/${String(byteOffset).padStart(12, "0")}.ndjson`;
    return this.#blobs.put(blobKey, bytes).pipe(
      Effect.andThen(this.#record(byteOffset, bytes.length, blobKey)),
      // A lost connection is a defect, which only a sandboxed effect tries again.
      Effect.sandbox,
      Effect.retry({ schedule: Schedule.spaced(storePauseMs), times: storeAttempts - 1 }),
      Effect.catch((cause) => Effect.die(Cause.squash(cause))),
      Effect.andThen(
        Effect.sync(() => {
          this.#database.news.announce();
          this.#offset += bytes.length;
          this.#segments += 1;
          this.#pendingBytes -= bytes.length;
        }),
      ),
    );
  }

  /**
   * Repeating is safe: after a lost answer it is unknown whether the row was stored. A run that has ended keeps its
   * log: a late writer is a stalled service whose run others have taken over.
   */
  #record(byteOffset: number, bytes: number, blobKey: string): Effect.Effect<unknown> {
    return this.#database.read(
      (sql) => sql`
        with live as (
          update    runs
          set       log_bytes = ${byteOffset + bytes}
          where     id = ${this.#runId}
          and       finished_at is null
          returning id
        )
        insert into run_log_segments (company_id, run_id, byte_offset, bytes, blob_key, created_at)
        select      ${this.#companyId}, id, ${byteOffset}, ${bytes}, ${blobKey}, now()
        from        live
        on conflict (run_id, byte_offset) do nothing
      `,
    );
  }

  /** Waits until all current data is stored; dies where it cannot be. */
  #allStored(): Effect.Effect<void> {
    return Effect.forkDetach(this.#store()).pipe(
      Effect.flatMap(Fiber.join),
      Effect.flatMap(() => (this.#failure === null ? Effect.void : Effect.die(Cause.squash(this.#failure)))),
    );
  }
}
