import * as Effect from "effect/Effect";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogStream } from "../../ports/agent-adapter.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { RunLogWriter } from "../../ports/run-log.ts";
import { aCompany, anAgent, aWakeRequest, openTestStorage, type TestStorage } from "../support/builders.ts";
import { eventually } from "../support/eventually.ts";

let storage: TestStorage;
/** A connection that is not closed with the others. */
let killer: postgres.Sql;

beforeAll(async () => {
  storage = await openTestStorage({ max: 2 });
  killer = postgres(storage.url, { max: 1 });
});
afterAll(async () => {
  await killer?.end();
  await storage?.close();
});

const blobsIn = (blobs: Map<string, Uint8Array>) =>
  ({
    // Stores when the caller goes on, as a disk does.
    put: (key: string, bytes: Uint8Array) =>
      Effect.promise(async () => {
        await new Promise(setImmediate);
        blobs.set(key, Uint8Array.from(bytes));
      }),
    get: (key: string, range?: { start: number; end: number }) =>
      Effect.sync(() => blobs.get(key)?.subarray(range?.start, range?.end) ?? null),
  }) as unknown as BlobStore;

describe("A run's log", () => {
  it("of a run that is continued stores each character once, in whatever pieces all of it comes again", async () => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    const wake = aWakeRequest({ agent });
    await storage.run(({ wakes }) => wakes.add(wake));
    const { runId } = wake;
    const logs = storage.runLogs(blobsIn(new Map()));
    const write = async (log: RunLogWriter, stream: LogStream, text: string, size: number) => {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += size)
        await Effect.runPromise(log.write(stream, bytes.subarray(at, at + size)));
    };
    const first = await Effect.runPromise(logs.open(companyId, runId));
    await write(first, "stdout", "Größe 1\n€ 2\n", 5);
    await write(first, "system", "It begins.\n", 99);
    await Effect.runPromise(first.close());
    const next = await Effect.runPromise(logs.continue(companyId, runId));
    expect(next.repeats()).toBe(true);
    await write(next, "system", "It begins.\n", 99);
    await write(next, "stdout", "Größe 1\n€ 2\nß 3\n", 3);
    expect(next.repeats()).toBe(false);
    await write(next, "system", "It ends.\n", 99);
    await write(next, "stderr", "and this\n", 2);
    await Effect.runPromise(next.close());
    const { content } = await Effect.runPromise(logs.read(runId, 0, 1_000_000));
    const records = content
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { stream: string; chunk: string; seq: number });
    const of = (stream: string) =>
      records.flatMap((record) => (record.stream === stream ? [record.chunk] : [])).join("");
    expect([of("stdout"), of("stderr"), of("system")]).toEqual([
      "Größe 1\n€ 2\nß 3\n",
      "and this\n",
      "It begins.\nIt ends.\n",
    ]);
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, at) => at + 1));
  });

  it("of a program that prints faster than the store takes is stored whole, in short records and segments of at most 256 KiB", async () => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    const wake = aWakeRequest({ agent });
    await storage.run(({ wakes }) => wakes.add(wake));
    const { runId } = wake;
    const blobs = new Map<string, Uint8Array>();
    const logs = storage.runLogs(blobsIn(blobs));
    const log = await Effect.runPromise(logs.open(companyId, runId));
    // JSON writes each NUL as six characters.
    const chunks = [
      ..."abcdefghijklmnopqrst".split("").map((each) => each.repeat(60_000)),
      "\0".repeat(64 * 1024),
    ];
    for (const text of chunks) await Effect.runPromise(log.write("stdout", text));
    await Effect.runPromise(log.close());
    const { content } = await Effect.runPromise(logs.read(runId, 0, 4_000_000));
    const lines = content.trimEnd().split("\n");
    const records = lines.map((line): string => JSON.parse(line).chunk);
    expect(records.join("")).toBe(chunks.join(""));
    expect(Math.max(...records.map(({ length }) => length))).toBe(16 * 1024);
    const sizes = [...blobs.values()].map(({ length }) => length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
    expect(sizes.some((bytes) => bytes > 64 * 1024)).toBe(true);
  });

  it("read from inside of a segment gives all within the limit, also of the segments after it", async () => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    const wake = aWakeRequest({ agent });
    await storage.run(({ wakes }) => wakes.add(wake));
    const { runId } = wake;
    const blobs = new Map<string, Uint8Array>();
    const logs = storage.runLogs(blobsIn(blobs));
    const log = await Effect.runPromise(logs.open(companyId, runId));
    for (let n = 0; n < 120; n++) await Effect.runPromise(log.write("stdout", `${n} `.repeat(4_000)));
    await Effect.runPromise(log.close());
    const whole = (await Effect.runPromise(logs.read(runId, 0, 10_000_000))).nextOffset;
    expect(blobs.size).toBeGreaterThan(2);
    const limit = whole / 2;
    const longestSegment = Math.max(...[...blobs.values()].map(({ length }) => length));
    for (let offset = 0; offset < whole - limit; offset += 9_999) {
      const { nextOffset } = await Effect.runPromise(logs.read(runId, offset, limit));
      expect(nextOffset).toBeLessThanOrEqual(offset + limit);
      expect(nextOffset).toBeGreaterThan(offset + limit - longestSegment);
    }
  });

  it("is whole, each line once, though every connection is closed repeatedly while it is written", async () => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    const wake = aWakeRequest({ agent });
    await storage.run(({ wakes }) => wakes.add(wake));
    const { runId } = wake;
    const blobs = new Map<string, Uint8Array>();
    const logs = storage.runLogs(blobsIn(blobs));
    const log = await Effect.runPromise(logs.open(companyId, runId));
    const chunks: string[] = [];
    for (let n = 0; n < 12; n++) {
      chunks.push(`line ${n}\n`);
      await Effect.runPromise(log.write("stdout", chunks.at(-1)!));
      // Its position is being stored or about to be.
      await eventually(
        async () => blobs.size,
        (segments) => segments > n,
      );
      if (n === 11) break;
      await killer`
        select  pg_terminate_backend(pid)
        from    pg_stat_activity
        where   datname = current_database()
        and     pid <> pg_backend_pid()
        -- One that is being opened is left: the client does not hand its end to the statement that waits for it
        -- (hosts/http/main.ts says more).
        and     query <> ''
        and     query not like '%pg_catalog.pg_type%'
      `;
    }
    await Effect.runPromise(log.close());
    const { content, nextOffset } = await Effect.runPromise(logs.read(runId, 0, 1_000_000));
    const lines = content.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).chunk)).toEqual(chunks);
    expect(nextOffset).toBe(Buffer.byteLength(content));
    const [row] = await killer`select log_bytes::int as bytes from runs where id = ${runId}`;
    expect(row!.bytes).toBe(nextOffset);
  });
});
