import * as Effect from "effect/Effect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunId } from "../../core/model/shared/ids.ts";
import { transcriptOf } from "../../core/runs/transcript.ts";
import type { RunLogs } from "../../ports/run-log.ts";
import type { UiParsers } from "../../ports/ui-parsers.ts";
import { processorTime } from "../support/processor-time.ts";

const runId = "00000000-0000-7000-8000-000000000001" as RunId;

type Chunk = readonly [stream: "stdout" | "stderr", chunk: string];

/** Stores a log and reads it as the port says: whole lines, the first one whole even if it is longer. */
const logOf = (chunks: readonly Chunk[]): RunLogs => {
  const text = chunks.map(
    ([stream, chunk], seq) => `${JSON.stringify({ ts: `t${seq}`, stream, chunk, seq })}\n`,
  );
  const bytes = Buffer.from(text.join(""));
  return {
    open: () => Effect.die("nobody writes"),
    continue: () => Effect.die("nobody writes"),
    read: (_id, offset, limitBytes) => {
      const rest = bytes.subarray(offset);
      const end = rest.length <= limitBytes ? rest.length : rest.lastIndexOf(0x0a, limitBytes - 1) + 1;
      const part = rest.subarray(0, end === 0 ? rest.indexOf(0x0a) + 1 : end);
      return Effect.succeed({ content: part.toString("utf8"), nextOffset: offset + part.length });
    },
  };
};

/** Returns each line with the number of lines seen, which shows the parser's state. */
const parsers: UiParsers = {
  parse: (_parser, lines) =>
    Effect.succeed(lines.map(({ line, ts }) => [{ kind: "assistant", ts, text: `<${line}>` }])),
};

const part = (
  logs: RunLogs,
  offset: number,
  limitBytes: number,
  isLive = false,
  before: number | null = null,
) =>
  Effect.runPromise(
    transcriptOf(logs, parsers, {
      runId,
      uiParser: { script: "parser", isBuiltIn: false },
      uiParserProblem: null,
      offset,
      before,
      limitBytes,
      isLive,
    }),
  );

const parts = async (logs: RunLogs, limitBytes: number) => {
  const entries: object[] = [];
  let offset = 0;
  for (;;) {
    const { complete, nextOffset, entries: more } = await part(logs, offset, limitBytes);
    entries.push(...more);
    if (complete) return entries;
    expect(nextOffset).toBeGreaterThan(offset);
    offset = nextOffset;
  }
};

describe("a transcript", () => {
  it("of a line in very many pieces takes no longer than one of its length", async () => {
    const logs = logOf(Array.from({ length: 50_000 }, () => ["stdout", "\rworking"] as const));
    const took = processorTime();
    const { entries, complete } = await part(logs, 0, 8_388_608);
    expect(took()).toBeLessThan(3_000);
    expect(complete).toBe(true);
    expect(entries).toHaveLength(1);
  });

  it("read in parts of any size equals one read at once", async () => {
    const chunk = fc.array(fc.constantFrom("a", "ö", "\n", " ", "🜁")).map((letters) => letters.join(""));
    const chunks = fc.array(fc.tuple(fc.constantFrom("stdout" as const, "stderr" as const), chunk), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: 1, max: 300 }), async (what, limitBytes) => {
        const logs = logOf(what);
        const whole = await part(logs, 0, 8_388_608);
        expect(whole.complete).toBe(true);
        expect(await parts(logs, limitBytes)).toEqual(whole.entries);
      }),
      { numRuns: 200 },
    );
  });

  it("read from anywhere on, and from there backwards, is the same as read at once", async () => {
    const chunk = fc.array(fc.constantFrom("a", "ö", "\n", " ", "🜁")).map((letters) => letters.join(""));
    const chunks = fc.array(fc.tuple(fc.constantFrom("stdout" as const, "stderr" as const), chunk), {
      maxLength: 20,
    });
    const size = fc.integer({ min: 1, max: 300 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.nat(2_000), size, async (what, from, limitBytes) => {
        const logs = logOf(what);
        const whole = await part(logs, 0, 8_388_608);
        const end = await part(logs, Math.min(from, whole.nextOffset), 8_388_608);
        expect(end.offset).toBeLessThanOrEqual(from);
        const entries = [...end.entries];
        for (let before = end.offset; before > 0; ) {
          const earlier = await part(logs, 0, limitBytes, false, before);
          expect(earlier.nextOffset).toBe(before);
          expect(earlier.offset).toBeLessThan(before);
          entries.unshift(...earlier.entries);
          before = earlier.offset;
        }
        expect(entries).toEqual(whole.entries);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["records of any size", [200_000]],
    ["a line over many records", [90_000, 90_000, 90_000, 90_000, 200_000]],
  ])("read backwards through %s loses nothing of a line", async (_, sizes) => {
    const numbers = Array.from({ length: 60_000 }, (__, n) => `line ${n} of what is said\n`).join("");
    // Pieces that end inside of lines, and a line that is longer than what is read back at first.
    const text = `${numbers}${"long ".repeat(80_000)}\n${numbers}`;
    const chunks: Chunk[] = [];
    for (let at = 0, n = 0; at < text.length; at += sizes[n++ % sizes.length]!)
      chunks.push(["stdout", text.slice(at, at + sizes[n % sizes.length]!)]);
    const logs = logOf(chunks);
    const { entries, nextOffset } = await part(logs, 0, 16_777_216);
    const backwards: object[] = [];
    for (let before = nextOffset; before > 0; ) {
      const earlier = await part(logs, 0, 300_000, false, before);
      backwards.unshift(...earlier.entries);
      before = earlier.offset;
    }
    expect(backwards).toEqual(entries);
  });

  it("places a line where it ends, with the time at which it began", async () => {
    const logs = logOf([
      ["stdout", "one\ntwo "],
      ["stderr", "bad\n"],
      ["stdout", "halves\nrest"],
    ]);
    expect((await part(logs, 0, 1_000)).entries).toEqual([
      { kind: "assistant", ts: "t0", text: "<one>" },
      { kind: "stderr", ts: "t1", text: "bad" },
      { kind: "assistant", ts: "t0", text: "<two halves>" },
      { kind: "assistant", ts: "t2", text: "<rest>" },
    ]);
  });

  it("of a live run leaves the beginning of a line for the part in which it ends", async () => {
    const chunks: readonly Chunk[] = [["stdout", "one\nhal"]];
    const first = await part(logOf(chunks), 0, 1_000, true);
    expect(first.entries.map(({ text }) => text)).toEqual(["<one>"]);
    const more = await part(logOf([...chunks, ["stdout", "ves\n"]]), first.nextOffset, 1_000, true);
    expect(more.entries.map(({ text }) => text)).toEqual(["<halves>"]);
  });

  it("from an arbitrary offset begins with the next record", async () => {
    const logs = logOf([
      ["stdout", "one\n"],
      ["stdout", "two\n"],
    ]);
    for (const offset of [1, 7, 60, 10_000]) expect((await part(logs, offset, 1_000)).complete).toBe(true);
  });
});
