import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import * as Effect from "effect/Effect";
import { readEntries } from "../../core/model/runs/parsed-entries.ts";
import { clause } from "../../core/model/shared/sentence.ts";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import type { Detach } from "../../ports/sandbox.ts";
import type { ParserLine } from "../../ports/ui-parsers.ts";
import { oneLine } from "./plain-text.ts";

export interface UiParserSandboxOptions {
  /** The user that parsers run as; default: the service's own. */
  readonly user?: AgentUser;
  /** So that parsers inherit nothing of the service; default: they do. */
  readonly detach?: Detach | null;
}

const limitMs = 5_000;
/** Limit inside the process itself, in case the service cannot end it. */
const ownLimitMs = 6_000;
const maxOutputBytes = 32 * 1024 * 1024;
const maxHeapMb = 128;
/** Limit of resident memory, buffers outside the heap included; checked periodically. */
const maxResidentMb = 512;
const pollMs = 20;
/** Each parser is a process with its own heap. */
const maxAtOnce = 2;

/**
 * Runs in its own process, because a JavaScript heap that overflows ends the whole process, threads included. The
 * parser gets a separate realm with the language only. Only strings cross the boundary, in both directions, so that the
 * parser never gets an object of the realm that has `process` and `require`. Objects that the runtime itself creates,
 * such as the error of an import, lead to no Function there.
 */
const program = `
const vm = require("node:vm");
const { stdin, stdout } = process;
const exit = process.exit.bind(process);
const chunks = [];
let unusable = "fails when it is loaded";
const work = ({ parser, lines }) => {
  const context = vm.createContext(Object.create(null), {
    codeGeneration: { strings: false, wasm: false }, microtaskMode: "afterEvaluate",
  });
  const inContext = vm.runInContext.bind(vm);
  const run = (text) => inContext(text, context, { timeout: ${ownLimitMs} });
  const kinds = [function () {}, async function () {}, function* () {}, async function* () {}];
  for (const kind of kinds) Object.defineProperty(Object.getPrototypeOf(kind), "constructor", { value: undefined });
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (["globalThis", "Object"].includes(name)) continue;
    try { delete globalThis[name]; } catch {}
  }
  run(
    "'use strict'; delete globalThis.WebAssembly; delete globalThis.SharedArrayBuffer; delete globalThis.Atomics;" +
      "delete globalThis.ShadowRealm; delete globalThis.console;" +
      "globalThis.module = { exports: {} }; globalThis.exports = globalThis.module.exports; globalThis.lines = " +
      lines +
      ";",
  );
  run("(function (exports, module) { 'use strict';" + parser + "\\n})(exports, module);");
  unusable = "exports neither parseStdoutLine nor createStdoutParser that could be used";
  return run(
    "(() => { const { parseStdoutLine, createStdoutParser } = module.exports;" +
      "const made = typeof createStdoutParser === 'function' ? createStdoutParser() : null;" +
      "const parse = made ? (line, ts) => made.parseLine(line, ts) : parseStdoutLine;" +
      "if (typeof parse !== 'function') return '';" +
      "const all = []; for (const { line, ts } of lines) { let said = '[]';" +
      "try { const entries = parse(line, ts); if (Array.isArray(entries)) said = '' + JSON.stringify(entries); } catch { said = '[]'; }" +
      "all.push(said); } return '[' + all.join() + ']'; })()",
  );
};
stdin.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
  let answer;
  try { answer = work(JSON.parse(Buffer.concat(chunks).toString("utf8"))); } catch {}
  const isAnswer = typeof answer === "string" && answer !== "";
  stdout.write(isAnswer ? answer : "!" + unusable, () => exit(0));
});
`;

/** With Node's permission model, code that escapes the realm can open no file and start no process. */
const confined = ["--permission", "--experimental-permission"].filter((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
);

export const uiParserSandbox = (options: UiParserSandboxOptions = {}) => {
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
    parse: (uiParser: string, lines: readonly ParserLine[]) =>
      Effect.acquireUseRelease(
        Effect.promise(enter),
        () =>
          Effect.promise(() =>
            inProcess(options, JSON.stringify({ parser: uiParser, lines: JSON.stringify(lines) })),
          ),
        () => Effect.sync(leave),
      ).pipe(Effect.flatMap((text) => answered(text, lines.length))),
  };
};

const node = {
  command: process.execPath,
  args: [...confined.slice(0, 1), "--no-warnings", `--max-old-space-size=${maxHeapMb}`, "--eval", program],
  env: {},
};

const inProcess = ({ user, detach }: UiParserSandboxOptions, input: string): Promise<string | null> =>
  new Promise((resolve) => {
    const { command, args, env } = detach?.(node) ?? node;
    const child = spawn(command, args, { cwd: "/", env, stdio: ["pipe", "pipe", "ignore"], ...user });
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (text: string | null) => {
      clearTimeout(limit);
      clearInterval(watch);
      child.kill("SIGKILL");
      resolve(text);
    };
    const limit = setTimeout(() => end(null), limitMs);
    const watch = setInterval(() => {
      if (residentMb(child.pid) > maxResidentMb) end(null);
    }, pollMs);
    preferAsOomVictim(child.pid);
    child.on("error", () => end(null));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) end(null);
      else chunks.push(chunk);
    });
    child.on("close", (code) => end(code === 0 && bytes > 0 ? Buffer.concat(chunks).toString("utf8") : null));
  });

/** Returns the entries or the failure. Messages of the sandbox begin with "!"; a parser's output never does. */
const answered = (text: string | null, lines: number) => {
  const unusable = (why: string) => Effect.fail({ message: `The adapter's UI parser ${clause(why)}.` });
  if (text === null) return unusable("took too long, needed too much memory or said too much");
  if (text.startsWith("!")) return unusable(oneLine(text.slice(1), 200));
  const entries = readEntries(text, lines);
  return entries === null ? unusable("gave no list of entries for each line") : Effect.succeed(entries);
};

/** Resident memory of a process, buffers outside its heap included. 0 where the system does not tell. */
const residentMb = (pid: number | undefined): number => {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
    return (Number(pages) * 4096) / 2 ** 20;
  } catch {
    return 0;
  }
};

/** Makes the kernel end this process first when memory runs out. */
const preferAsOomVictim = (pid: number | undefined): void => {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch {
    // The system has no such file, or the process has ended.
  }
};
