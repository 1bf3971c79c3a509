import { TextDecoder } from "node:util";
import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { CompanyId, RunId } from "../../core/shared/ids.ts";
import type { LogStream } from "../../ports/agent-adapter.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { RunLogs, RunLogWriter } from "../../ports/run-log.ts";
import type { RunViews } from "../../ports/views/run-views.ts";

/** A segment is stored when it has this size, … */
const segmentBytes = 64 * 1024;
/** … or when its first line is this old. It grows with the log, so that a long quiet run does not leave a file a second. */
const flushMs = (segments: number): number => (segments < 50 ? 100 : segments < 200 ? 500 : 2_000);
/** Writers wait while more than this is not stored yet. */
const maxPendingBytes = 1024 * 1024;
const maxChunkCharacters = 64 * 1024;
const tailCharacters = 4 * 1024;

export const runLogs = (sql: Sql, blobs: BlobStore, views: Pick<RunViews, "logSegments">): RunLogs => ({
  open: (companyId, runId) => Effect.sync(() => new SegmentedLog(sql, blobs, companyId, runId)),
  read: (runId, offset, limitBytes) =>
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
    }),
});

/** At most `limit` bytes, whole lines; the first line is whole even where it is longer. */
const cutAtLineEnd = (bytes: Buffer, limit: number): Buffer => {
  if (bytes.length <= limit) return bytes;
  const end = bytes.lastIndexOf(0x0a, limit - 1);
  const first = bytes.indexOf(0x0a);
  return bytes.subarray(0, (end === -1 ? first : end) + 1);
};

/** One run's log while it is written. Segments are stored one after the other, by whoever comes by when one is due. */
class SegmentedLog implements RunLogWriter {
  readonly #sql: Sql;
  readonly #blobs: BlobStore;
  readonly #companyId: CompanyId;
  readonly #runId: RunId;
  readonly #decoders = new Map<LogStream, TextDecoder>();
  #lines: string[] = [];
  #pendingBytes = 0;
  #offset = 0;
  #segments = 0;
  #seq = 0;
  #tail = "";
  #timer: NodeJS.Timeout | null = null;
  #storing: Promise<void> = Promise.resolve();
  #failure: unknown = null;

  constructor(sql: Sql, blobs: BlobStore, companyId: CompanyId, runId: RunId) {
    this.#sql = sql;
    this.#blobs = blobs;
    this.#companyId = companyId;
    this.#runId = runId;
  }

  write(stream: LogStream, chunk: Uint8Array | string): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#append(
        stream,
        typeof chunk === "string" ? chunk : this.#decoder(stream).decode(chunk, { stream: true }),
      );
      if (this.#pendingBytes >= segmentBytes) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), flushMs(this.#segments));
      return this.#pendingBytes > maxPendingBytes ? this.#stored() : Effect.void;
    });
  }

  tail(): string {
    return this.#tail;
  }

  close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (const [stream, decoder] of this.#decoders) this.#append(stream, decoder.decode());
      this.#flush();
      return this.#stored();
    });
  }

  #decoder(stream: LogStream): TextDecoder {
    const known = this.#decoders.get(stream);
    if (known !== undefined) return known;
    const fresh = new TextDecoder("utf-8");
    this.#decoders.set(stream, fresh);
    return fresh;
  }

  #append(stream: LogStream, text: string): void {
    const ts = new Date().toISOString();
    for (let at = 0; at < text.length; at += maxChunkCharacters) {
      this.#seq += 1;
      const chunk = text.slice(at, at + maxChunkCharacters);
      const line = `${JSON.stringify({ ts, stream, chunk, seq: this.#seq })}\n`;
      this.#lines.push(line);
      this.#pendingBytes += Buffer.byteLength(line);
    }
    this.#tail = (this.#tail + text).slice(-tailCharacters);
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#storing = this.#storing
      .then(() => this.#store())
      .catch((error) => {
        this.#failure ??= error;
      });
  }

  async #store(): Promise<void> {
    if (this.#lines.length === 0 || this.#failure !== null) return;
    const bytes = Buffer.from(this.#lines.join(""));
    this.#lines = [];
    const byteOffset = this.#offset;
    const blobKey = `run-logs/${this.#companyId}/${this.#runId}/${String(byteOffset).padStart(12, "0")}.ndjson`;
    await Effect.runPromise(this.#blobs.put(blobKey, bytes));
    await this.#sql`
      with segment as (
        insert into run_log_segments (company_id, run_id, byte_offset, bytes, blob_key, created_at)
        values (${this.#companyId}, ${this.#runId}, ${byteOffset}, ${bytes.length}, ${blobKey}, now())
      )
      update runs
         set log_bytes = ${byteOffset + bytes.length}
       where id = ${this.#runId}
    `;
    this.#offset += bytes.length;
    this.#segments += 1;
    this.#pendingBytes -= bytes.length;
  }

  /** Resolves when what is held now is stored; dies where it cannot be. */
  #stored(): Effect.Effect<void> {
    return Effect.promise(async () => {
      await this.#storing;
      if (this.#failure !== null) throw this.#failure;
    });
  }
}
