import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import type { ParsedEntry, UiParsers } from "../../ports/ui-parsers.ts";

const limitMs = 5_000;
const maxOutputChars = 32 * 1024 * 1024;
const memory = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 };
/** Each is a thread with a heap of its own. */
const maxAtOnce = 2;

/**
 * Runs in the worker. The parser gets a realm of its own with the language in it and nothing else; only texts cross its
 * border, in either direction, so that it never holds an object of the realm that has `process` and `require`. What the
 * engine itself may hand it, such as the error of an import, leads to no Function there.
 */
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const vm = require("node:vm");
const post = parentPort.postMessage.bind(parentPort);
const context = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
const run = vm.runInContext.bind(vm);
const kinds = [function () {}, async function () {}, function* () {}, async function* () {}];
for (const kind of kinds) Object.defineProperty(Object.getPrototypeOf(kind), "constructor", { value: undefined });
for (const name of Object.getOwnPropertyNames(globalThis)) {
  if (["globalThis", "Object"].includes(name)) continue;
  try { delete globalThis[name]; } catch {}
}
let answer = null;
try {
  run(
    "'use strict'; delete globalThis.WebAssembly; delete globalThis.SharedArrayBuffer; delete globalThis.Atomics;" +
      "globalThis.module = { exports: {} }; globalThis.exports = globalThis.module.exports; globalThis.lines = " +
      workerData.lines +
      ";",
    context,
  );
  run("(function (exports, module) { 'use strict';" + workerData.parser + "\\n})(exports, module);", context);
  answer = run(
    "(() => { const { parseStdoutLine, createStdoutParser } = module.exports;" +
      "const made = typeof createStdoutParser === 'function' ? createStdoutParser() : null;" +
      "const parse = made ? (line, ts) => made.parseLine(line, ts) : parseStdoutLine;" +
      "if (typeof parse !== 'function') return '';" +
      "const all = []; for (const { line, ts } of lines) { let entries = [];" +
      "try { const said = parse(line, ts); if (Array.isArray(said)) entries = said; JSON.stringify(entries); } catch { entries = []; }" +
      "all.push(entries); } return '' + JSON.stringify(all); })()",
    context,
  );
} catch {}
post(typeof answer === "string" ? answer : "");
`;

export const uiParserSandbox = (): UiParsers => {
  let running = 0;
  const waiting: (() => void)[] = [];
  const enter = async () => {
    if (running >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
  };
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return {
    parse: (uiParser, lines) =>
      Effect.acquireUseRelease(
        Effect.promise(enter),
        () => Effect.promise(() => inWorker(uiParser, JSON.stringify(lines))),
        () => Effect.sync(leave),
      ).pipe(Effect.map((text) => (text === null ? null : readEntries(text, lines.length)))),
  };
};

const inWorker = async (parser: string, lines: string): Promise<string | null> => {
  const worker = new Worker(program, {
    eval: true,
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: memory,
    workerData: { parser, lines },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string | null>((resolve) => {
      timer = setTimeout(() => resolve(null), limitMs);
      worker.once("message", (text: unknown) =>
        resolve(typeof text === "string" && text !== "" && text.length <= maxOutputChars ? text : null),
      );
      worker.once("error", () => resolve(null));
      worker.once("exit", () => resolve(null));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
};

const readEntries = (text: string, lines: number): readonly (readonly ParsedEntry[])[] | null => {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(said) || said.length !== lines) return null;
  return said.map((entries: unknown) => (Array.isArray(entries) ? entries.filter(isEntry) : []));
};

const isEntry = (entry: unknown): entry is ParsedEntry =>
  typeof entry === "object" &&
  entry !== null &&
  "kind" in entry &&
  typeof entry.kind === "string" &&
  "ts" in entry &&
  typeof entry.ts === "string";
