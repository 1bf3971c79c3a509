import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { uiParserSandbox } from "../../adapters-infra/plugins/ui-parser-sandbox.ts";

const sandbox = uiParserSandbox();
const parse = (parser: string, lines: readonly string[] = ["a", "b"]) =>
  Effect.runPromise(
    sandbox
      .parse(
        parser,
        lines.map((line) => ({ line, ts: "t" })),
      )
      .pipe(Effect.catch(() => Effect.succeed(null))),
  );
const parserPrinting = (expression: string) =>
  `exports.parseStdoutLine = (line, ts) => [{ kind: "stdout", ts, text: String(${expression}) }];`;

describe("a UI parser in its sandbox", () => {
  it("makes entries of lines", async () => {
    expect(await parse(parserPrinting("line + '!'"))).toEqual([
      [{ kind: "stdout", ts: "t", text: "a!" }],
      [{ kind: "stdout", ts: "t", text: "b!" }],
    ]);
  });

  it("is started by what the service's programs are detached with", async () => {
    const started: string[] = [];
    const detached = uiParserSandbox({
      detach: ({ command, args, env }) => {
        started.push(command);
        return { command: "/bin/sh", args: ["-c", 'exec "$@"', "sh", command, ...args], env };
      },
    });
    const lines = [{ line: "a", ts: "t" }];
    expect(await Effect.runPromise(detached.parse(parserPrinting("line"), lines))).toEqual([
      [{ kind: "stdout", ts: "t", text: "a" }],
    ]);
    expect(started).toEqual([process.execPath]);
  });

  it("may keep state, by a factory, which goes before the function", async () => {
    const parser = `${parserPrinting("0")} exports.createStdoutParser = () => { let n = 0; return {
      parseLine: (line, ts) => [{ kind: "stdout", ts, text: "" + ++n }], reset() { n = 0; } }; };`;
    expect((await parse(parser))?.flat().map(({ text }) => text)).toEqual(["1", "2"]);
  });

  it("has no entries for a line on which it throws, and drops invalid ones", async () => {
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
  ])("is stopped when it %s", async (_what, parser) => {
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
    expect((await parse(parserPrinting(expression), ["a"]))?.flat()[0]?.text).toBe("undefined");
  });

  it("cannot reach anything by the error of an import", async () => {
    const parser = `let got = "undefined";
      const attempt = (e) => { try { got = typeof e.constructor.constructor("return process")(); } catch {} };
      import("node:fs").then(() => { got = "imported"; }, attempt);
      exports.parseStdoutLine = (line, ts) => [{ kind: "stdout", ts, text: got }];`;
    expect((await parse(parser))?.flat().map(({ text }) => text)).toEqual(["undefined", "undefined"]);
  });
});

/** Ways out of the sandbox, each an expression that must give "undefined" or an error. */
const attempts: Readonly<Record<string, string>> = {
  "the process": "typeof process",
  "the main module": "typeof module.constructor._load",
  "a module by the module": "typeof module.require",
  "parents of the module": "typeof module.parent + typeof module.children",
  "a constructor of a function": "(() => {}).constructor('return process')()",
  "a constructor of a constructor": "({}).constructor.constructor('return process')()",
  "a constructor of an asynchronous function": "(async () => {}).constructor('return process')()",
  "a constructor of a generator": "(function* () {}).constructor('return process')().next().value",
  "the prototype of functions": "Object.getPrototypeOf(function () {}).constructor('return process')()",
  "a constructor of an argument": "line.constructor.constructor('return process')()",
  "a constructor of exports": "exports.constructor.constructor('return process')()",
  "a constructor of the global object": "globalThis.constructor.constructor('return process')()",
  "the caller": "(function f() { return f.caller; })()",
  "the arguments' callee": "(function () { return arguments.callee.caller; })()",
  "the stack's call sites":
    "(() => { Error.prepareStackTrace = (_, sites) => sites; const sites = new Error().stack; return Array.isArray(sites) ? sites.map((site) => typeof site.getThis() + typeof site.getFunction()).find((found) => found.includes('function')) : undefined; })()",
  "an error of the engine":
    "(() => { try { null.x; } catch (e) { return e.constructor.constructor('return process')(); } })()",
  "an error of a stack that is full":
    "(() => { const f = () => f(); try { f(); } catch (e) { return e.constructor.constructor('return process')(); } })()",
  "a proxy":
    "new Proxy({}, { get: (_, __, receiver) => receiver.constructor })['x'].constructor('return process')()",
  "a symbol's species": "Array[Symbol.species].constructor('return process')()",
  evaluation: "eval('typeof process')",
  "indirect evaluation": "(0, eval)('process')",
  "waiting on shared memory": "typeof Atomics",
  "shared memory": "typeof SharedArrayBuffer",
  "shared memory by WebAssembly": "typeof WebAssembly",
  timers: "typeof setTimeout + typeof setImmediate + typeof queueMicrotask",
  "the network": "typeof fetch + typeof WebSocket + typeof XMLHttpRequest + typeof EventSource",
  workers: "typeof Worker + typeof MessageChannel + typeof BroadcastChannel + typeof postMessage",
  "the console":
    "typeof console === 'undefined' ? undefined : typeof console.constructor.constructor('return process')()",
  "a structured clone": "typeof structuredClone",
  "weak references to others' things": "typeof gc",
  "a shadow realm": "typeof ShadowRealm",
};

describe("a parser that tries to escape", () => {
  it("does not succeed", async () => {
    const trials = Object.entries(attempts).map(
      ([what, expression]) =>
        `try { const found = ${expression}; seen.push([${JSON.stringify(what)}, found === undefined || /^(undefined)+$/.test(String(found)) || found === null ? "" : typeof found + " " + String(found).slice(0, 80)]); } catch { seen.push([${JSON.stringify(what)}, ""]); }`,
    );
    const parser = `exports.parseStdoutLine = (line, ts) => { const seen = []; ${trials.join("\n")}
      return [{ kind: "stdout", ts, seen }]; };`;
    const [[entry] = []] = (await parse(parser, ["a"])) ?? [];
    const found = entry?.seen as [string, string][];
    expect(found).toHaveLength(Object.keys(attempts).length);
    expect(found.filter(([, what]) => what !== "")).toEqual([]);
  });

  it("cannot continue after its answer, nor change other answers", async () => {
    const parser = `Object.prototype.polluted = "yes"; Array.prototype.map = () => []; JSON.parse = () => 1;
      Promise.resolve().then(() => { for (;;); });
      exports.parseStdoutLine = (line, ts) => [{ kind: "stdout", ts, text: line }];`;
    const startedAt = performance.now();
    expect(await parse(parser)).not.toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
    expect((await parse(parserPrinting("line")))?.flat().map(({ text }) => text)).toEqual(["a", "b"]);
  });

  it.each([
    ["a getter that throws", "get text() { throw new Error('no'); }", []],
    [
      "a text that changes",
      "n: 0, get text() { return 'x' + ++this.n; }",
      [{ kind: "stdout", ts: "t", text: "x1" }],
    ],
    ["a circle", "get text() { return this; }", []],
    ["a number without an end", "text: 10n", []],
    [
      "a replacement of itself",
      "toJSON() { return { kind: 'stdout', ts: 't', text: 'other' }; }",
      [{ kind: "stdout", ts: "t", text: "other" }],
    ],
    ["a replacement by nothing", "toJSON() { return undefined; }", []],
    ["__proto__", "['__proto__']: { polluted: 1 }, text: 'x'", [{ kind: "stdout", ts: "t", text: "x" }]],
  ])("is limited to plain entries if one has %s", async (_what, member, expected) => {
    const parser = `exports.parseStdoutLine = (line, ts) => [{ kind: "stdout", ts, ${member} }];`;
    const found = (await parse(parser, ["a"]))?.flat() ?? [];
    if (expected.length > 0) expect(found).toMatchObject(expected);
    else expect(found).toEqual([]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("is limited to plain entries if they are a proxy", async () => {
    const parser = `exports.parseStdoutLine = (line, ts) => new Proxy([{ kind: "stdout", ts, text: "x" }], {
      get: (target, name) => { if (name === "length") throw new Error("no"); return target[name]; } });`;
    expect(await parse(parser)).toEqual([[], []]);
  });

  it.each([
    ["entries beyond number", "Array(1e7).fill({ kind: 'stdout', ts })"],
    ["one entry beyond measure", "[{ kind: 'stdout', ts, text: 'x'.repeat(2 ** 28) }]"],
    [
      "a bomb of memory",
      "[{ kind: 'stdout', ts, text: Array(1e4).fill(0).map(() => new Array(1e5).fill(1.5)) }]",
    ],
    [
      "a bomb of buffers",
      "[{ kind: 'stdout', ts, text: Array(64).fill(0).map(() => new Uint8Array(2 ** 28).fill(1)).length }]",
    ],
    ["a text that doubles itself", "(() => { let s = 'x'; for (;;) s += s; })()"],
    ["a regular expression that never ends", "/^(a+)+$/.test('a'.repeat(50) + 'b') ? [] : []"],
    ["a sort that never ends", "Array(1e6).fill(0).sort(() => { for (;;); })"],
  ])("is stopped, or cut, if it emits %s", async (_what, expression) => {
    const before = process.memoryUsage().rss;
    const found = await parse(`exports.parseStdoutLine = (line, ts) => ${expression};`, ["a"]);
    expect(found === null || found.flat().length <= 1).toBe(true);
    expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(700);
    expect(await parse(parserPrinting("line"), ["next"])).toEqual([
      [{ kind: "stdout", ts: "t", text: "next" }],
    ]);
  });
});
