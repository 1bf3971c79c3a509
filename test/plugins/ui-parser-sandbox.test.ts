import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { uiParserSandbox } from "../../adapters-infra/plugins/ui-parser-sandbox.ts";

const sandbox = uiParserSandbox();
const parse = (parser: string, lines: readonly string[] = ["a", "b"]) =>
  Effect.runPromise(
    sandbox.parse(
      parser,
      lines.map((line) => ({ line, ts: "t" })),
    ),
  );
const says = (expression: string) =>
  `exports.parseStdoutLine = (line, ts) => [{ kind: "stdout", ts, text: String(${expression}) }];`;

describe("a UI parser in its sandbox", () => {
  it("makes entries of lines", async () => {
    expect(await parse(says("line + '!'"))).toEqual([
      [{ kind: "stdout", ts: "t", text: "a!" }],
      [{ kind: "stdout", ts: "t", text: "b!" }],
    ]);
  });

  it("may keep state, by a factory, which goes before the function", async () => {
    const parser = `${says("0")} exports.createStdoutParser = () => { let n = 0; return {
      parseLine: (line, ts) => [{ kind: "stdout", ts, text: "" + ++n }], reset() { n = 0; } }; };`;
    expect((await parse(parser))?.flat().map(({ text }) => text)).toEqual(["1", "2"]);
  });

  it("has no entries on a line on which it throws, and none that are no entries", async () => {
    const parser = `exports.parseStdoutLine = (line, ts) => { if (line === "a") throw new Error("no");
      return [{ kind: "stdout", ts }, null, 3, { kind: 1, ts }, { ts }]; };`;
    expect(await parse(parser)).toEqual([[], [{ kind: "stdout", ts: "t" }]]);
  });

  it.each([
    ["does not load", "throw new Error('no');"],
    ["is no script", "]["],
    ["has nothing to call", "exports.x = 1;"],
    ["never ends", "for (;;);"],
    ["never ends on a line", "exports.parseStdoutLine = () => { for (;;); };"],
    ["eats memory", "const all = []; for (;;) all.push(new Array(1e6).fill(1.5));"],
  ])("is given up when it %s", { timeout: 20_000 }, async (_what, parser) => {
    expect(await parse(parser)).toBeNull();
  });

  it.each([
    "typeof process",
    "typeof require",
    "typeof fetch",
    "typeof globalThis.process",
    "typeof WebAssembly",
    "typeof SharedArrayBuffer",
    "typeof setTimeout",
    "(() => { try { return typeof this.constructor.constructor('return process')(); } catch (e) { return 'undefined'; } })()",
    "(() => { try { return typeof lines.constructor.constructor('return process')(); } catch (e) { return 'undefined'; } })()",
    "(() => { try { (0, eval)('1'); return 'evaluated'; } catch (e) { return 'undefined'; } })()",
    "(() => { try { (function f() { f(); })(); } catch (e) { try { return typeof e.constructor.constructor('return process')(); } catch (e2) { return 'undefined'; } } })()",
  ])("cannot reach anything by %s", async (expression) => {
    expect((await parse(says(expression), ["a"]))?.flat()[0]?.text).toBe("undefined");
  });

  it("cannot reach anything by the error of an import", async () => {
    const parser = `let got = "undefined";
      const look = (e) => { try { got = typeof e.constructor.constructor("return process")(); } catch {} };
      import("node:fs").then(() => { got = "imported"; }, look);
      exports.parseStdoutLine = (line, ts) => [{ kind: "stdout", ts, text: got }];`;
    expect((await parse(parser))?.flat().map(({ text }) => text)).toEqual(["undefined", "undefined"]);
  });
});
