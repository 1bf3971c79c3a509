import { readFile } from "node:fs/promises";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { uiParsers } from "../../adapters-infra/plugins/ui-parsers.ts";

const parsers = uiParsers();
const processes = () => process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length;

/** Also returns how many processes were started for it. */
const parse = async (isBuiltIn: boolean, script: string, lines: readonly string[]) => {
  const before = processes();
  const parsing = Effect.runPromise(
    parsers.parse(
      { script, isBuiltIn },
      lines.map((line) => ({ line, ts: "t" })),
    ),
  );
  await new Promise((resolve) => setImmediate(resolve));
  const started = processes() - before;
  return { entries: await parsing, started };
};

const parserSource = `exports.parseStdoutLine = (line, ts) => {
  if (line === "bad") throw new Error("no");
  return [{ kind: "stdout", ts, text: line }];
};`;

const ofAdapterA = () => readFile("dist/plugins/adapter-a-local/ui-parser.cjs", "utf8");

describe("the UI parser of a built-in adapter", () => {
  it("needs no process, which the parser of an external adapter gets", async () => {
    const expected = [[{ kind: "stdout", ts: "t", text: "a" }], [], [{ kind: "stdout", ts: "t", text: "b" }]];
    const lines = ["a", "bad", "b"];
    expect(await parse(true, parserSource, lines)).toEqual({ entries: expected, started: 0 });
    expect(await parse(false, parserSource, lines)).toEqual({ entries: expected, started: 1 });
  });

  it("may keep state from line to line, which no other log gets", async () => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "All is clean." } };
    const lines = [
      { id: 1, result: { protocolVersion: 1 } },
      { id: 4, result: { sessionId: "s" } },
      { method: "session/update", params: { sessionId: "s", update } },
      { id: 7, result: { stopReason: "end_turn" } },
    ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }));
    const script = await readFile("dist/plugins/acp/ui-parser.cjs", "utf8");
    const entriesOf = async (of: readonly string[]) =>
      (await parse(true, script, of)).entries.flat().flatMap(({ text }) => (text === "" ? [] : [text]));
    // The end of the turn, in which the pieces of the text are joined, is not there.
    expect(await entriesOf(lines.slice(0, 3))).toEqual([]);
    expect(await entriesOf(lines.slice(3))).toEqual([]);
    expect(await entriesOf(lines)).toEqual(["All is clean."]);
  });

  it("lets the service work while it reads many lines", async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    await parse(
      true,
      `exports.parseStdoutLine = () => { const end = Date.now() + 1; while (Date.now() < end); return []; };`,
      Array.from({ length: 200 }, String),
    );
    clearInterval(counting);
    expect(turns).toBeGreaterThan(3);
  });

  it("makes no entry that nests too deeply to be answered", async () => {
    const input = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const use = (levels: number) =>
      `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"x","id":"1","input":${input(levels)}}]}}`;
    const { entries } = await parse(
      true,
      await ofAdapterA(),
      Array.from({ length: 200 }, (_, n) => use(100 + n * 100)),
    );
    expect(entries[0]).toHaveLength(1);
    expect(entries.at(-1)).toEqual([]);
    let answer: unknown = entries;
    for (let level = 0; level < 50; level++) answer = { answer };
    expect(() => JSON.stringify(answer)).not.toThrow();
  });
});
