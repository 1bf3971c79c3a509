import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkConformance } from "../../plugins/kit/conformance.ts";
import { uiParserProblem } from "../../plugins/kit/conformance-ui-parser.ts";

let folder: string;
let server: Server;

/** Replaces the command line: prints these lines on standard output once it is spoken to. */
const programPrinting = (name: string, ...lines: readonly object[]): string => {
  const path = join(folder, name);
  const commands = lines.map((line) => `echo '${JSON.stringify(line)}'`);
  writeFileSync(
    path,
    `#!/bin/sh\n[ "$1" = models ] && echo a/one && exit\nread -r _\n${commands.join("\n")}\n`,
  );
  chmodSync(path, 0o755);
  return path;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "conformance-test-"));
  server = createServer((_request, response) => void response.end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const configs: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
  process: () => ({ command: "true" }),
  http: () => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/work`,
    allowPrivateHosts: ["127.0.0.1"],
  }),
  acp: () => ({
    agent: "custom",
    command: fileURLToPath(new URL("../support/acp-agent.mjs", import.meta.url)),
  }),
  "adapter-a-local": () => ({
    command: programPrinting(
      "claude",
      { type: "system", subtype: "init", session_id: "s-1", model: "m" },
      { type: "result", subtype: "success", is_error: false, result: "done", session_id: "s-1" },
    ),
  }),
  "adapter-b-local": () => ({
    command: programPrinting(
      "codex",
      { type: "thread.started", thread_id: "t-1" },
      { type: "turn.completed", usage: { input_tokens: 3, output_tokens: 1 } },
    ),
  }),
  "adapter-c-local": () => ({
    model: "a/one",
    command: programPrinting("opencode", {
      type: "step_finish",
      sessionID: "ses_1",
      part: { tokens: { input: 3, output: 1 }, cost: 0.1 },
    }),
  }),
};

describe("the conformance suite", () => {
  it.each(Object.keys(configs))("finds no fault with %s", async (name) => {
    const built = fileURLToPath(new URL(`../../dist/plugins/${name}`, import.meta.url));
    const found = await checkConformance(built, { config: configs[name]?.() ?? {} });
    expect(found.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(found.length).toBeGreaterThan(15);
  });

  const entry = (code: string, more = "") => `
    const execute = async ({ runProcess, authToken, onMeta, nextWord, onTaken }) => { ${code} };
    export const type = "careless", label = "Careless", models = [], agentConfigurationDoc = "";
    const testEnvironment = async ({ adapterType }) =>
      ({ adapterType, status: "pass", checks: [], testedAt: new Date().toISOString() });
    export const createServerAdapter = () =>
      ({ type, models, agentConfigurationDoc, execute, testEnvironment, ${more} });`;
  const run = (spec: string) =>
    `await runProcess({ command: "true", args: [], timeoutSec: 5, graceSec: 1, ${spec} });`;
  const ok = "return { exitCode: 0, timedOut: false };";
  const codec = (deserialize: string) =>
    `sessionCodec: { deserialize: ${deserialize}, serialize: (p) => p?.id ? p : null, getDisplayId: () => null }`;
  const session = "return { exitCode: 0, timedOut: false, sessionParams: { id: 'x' } };";

  it.each([
    [
      "a token among the arguments",
      entry(`${run("args: [authToken]")} ${ok}`),
      "the run's token is in no argument and no prompt",
    ],
    [
      "a token in the prompt",
      entry(`${run("stdin: authToken")} ${ok}`),
      "the run's token is in no argument and no prompt",
    ],
    [
      "no time limit",
      entry(`${run("timeoutSec: 0")} ${ok}`),
      "every program has a time limit and a grace period",
    ],
    [
      "a codec that takes anything",
      entry(ok, codec("(raw) => ({ raw })")),
      "a session codec answers null to what is no session, and never throws",
    ],
    [
      "a codec that throws",
      entry(ok, codec("(raw) => raw.id.length ? raw : null")),
      "a session codec answers null to what is no session, and never throws",
    ],
    [
      "a codec that forgets",
      entry(session, codec("() => null")),
      "a session is plain JSON, and what the codec keeps of it comes back the same",
    ],
    [
      "models that are there twice",
      entry(ok, "listModels: async () => [{ id: 'a', label: 'A' }, { id: 'a', label: 'B' }]"),
      "models are listed by id, each once",
    ],
    [
      "a model without a provider",
      entry(ok, "detectModel: async () => ({ model: 'a' })"),
      "a detected model is null, or has model, provider, source and candidates",
    ],
    [
      "a factory that throws",
      entry(ok).replace("createServerAdapter = () =>", "createServerAdapter = () => missing ||"),
      "the adapter has the type of the package",
    ],
    [
      "a message that is taken twice",
      entry(`const word = await nextWord?.({ interrupt: false });
        if (word?.kind === "message") for (const how of ["taken", "taken"]) await onTaken(word.id, how); ${ok}`),
      "a message is reported by its id, as queued before taken, and each once",
    ],
    [
      "a message by another id",
      entry(`const word = await nextWord?.({ interrupt: false });
        if (word?.kind === "message") await onTaken("mine", "taken"); ${ok}`),
      "a message is reported by its id, as queued before taken, and each once",
    ],
    [
      "half of the skills",
      entry(ok, "listSkills: async () => ({})"),
      "skills are listed and synchronised, or neither",
    ],
    [
      "skills that stay",
      entry(
        ok,
        `listSkills: async ({ adapterType }) => ({ adapterType, supported: true, mode: "persistent", desiredSkills: [], entries: [], warnings: [] }),
         syncSkills: async ({ adapterType }, desiredSkills) => ({ adapterType, supported: true, mode: "persistent", desiredSkills, warnings: [],
           entries: [{ key: "conformance-check", runtimeName: "x", desired: desiredSkills.length > 0, managed: true, state: "installed" }] })`,
      ),
      "skills are desired as they were synchronised, and taken back",
    ],
  ])("finds %s", async (what, code, rule) => {
    const directory = join(folder, what.replaceAll(" ", "-"));
    mkdirSync(directory);
    const exports = { ".": "./index.js", "./server": "./index.js", "./ui-parser": "./ui.cjs" };
    const manifest = {
      name: "careless",
      type: "module",
      exports,
      files: ["index.js"],
      boardroom: { uiParser: "1.0.0" },
    };
    writeFileSync(join(directory, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(directory, "index.js"), code);
    writeFileSync(join(directory, "ui.cjs"), "module.exports.parseStdoutLine = () => [];");
    const found = await checkConformance(directory);
    expect(found.filter(({ problem }) => problem !== null).map((one) => one.rule)).toEqual([rule]);
  });
});

describe("an adapter package", () => {
  it("may be CommonJS, make its adapter asynchronously, and export by condition", async () => {
    const directory = join(folder, "old");
    mkdirSync(directory);
    const exports = {
      ".": { require: "./index.cjs", default: "./index.cjs" },
      "./server": "./index.cjs",
      "./ui-parser": { default: "./ui.cjs" },
    };
    const manifest = { name: "old", exports, files: ["*.cjs"], boardroom: { uiParser: "1.0.0" } };
    writeFileSync(join(directory, "package.json"), JSON.stringify(manifest));
    writeFileSync(
      join(directory, "index.cjs"),
      `const root = { type: "old", label: "Old", models: [], agentConfigurationDoc: "" };
      const adapter = { ...root, execute: async () => ({ exitCode: 0, timedOut: false }),
        testEnvironment: async () => ({ adapterType: "old", status: "pass", checks: [], testedAt: new Date().toISOString() }) };
      module.exports = { ...root, createServerAdapter: async () => adapter };`,
    );
    writeFileSync(join(directory, "ui.cjs"), "fetch('http://x');");
    const found = await checkConformance(directory);
    expect(found.filter(({ problem }) => problem !== null)).toMatchObject([
      { rule: expect.stringMatching(/UI parser/), problem: expect.stringMatching(/fetch/) },
    ]);
  });
});

describe("a UI parser", () => {
  it.each([
    ["a function", "exports.parseStdoutLine = () => [];", null],
    [
      "a factory",
      "module.exports.createStdoutParser = () => ({ parseLine: (text, ts) => [{ kind: 'stdout', text, ts }], reset() {} });",
      null,
    ],
    ["one that requires", "require('fs'); exports.parseStdoutLine = () => [];", /imports/],
    ["one that imports late", "exports.parseStdoutLine = () => (import('fs'), []);", /imports/],
    [
      "one that reaches out",
      "fetch('http://x'); exports.parseStdoutLine = () => [];",
      /fetch is not defined/,
    ],
    [
      "one that reads the process",
      "exports.parseStdoutLine = () => [process.env];",
      /process is not defined/,
    ],
    ["nothing", "", /neither/],
    ["one that throws", "exports.parseStdoutLine = (line) => JSON.parse(line);", /throws/],
    ["kinds of its own", "exports.parseStdoutLine = (line, ts) => [{ kind: 'mine', ts }];", /kind/],
    ["times of its own", "exports.parseStdoutLine = () => [{ kind: 'stdout', ts: 'now', text: '' }];", /ts/],
  ])("that is %s", (_what, text, problem) => {
    let refusal: string | null;
    try {
      refusal = uiParserProblem(text);
    } catch (error) {
      refusal = String(error);
    }
    if (problem === null) expect(refusal).toBeNull();
    else expect(refusal).toMatch(problem);
  });
});
