import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AdapterPackage, AgentAdapter, ExecuteContext } from "../../ports/agent-adapter.ts";
import { asObject, asText } from "./json.ts";
import { runProgram } from "./run-program.ts";

/** One sentence of the contract, and whether the package keeps it. */
export interface Conformance {
  readonly rule: string;
  /** null where it does. */
  readonly problem: string | null;
}

export interface ConformanceOptions {
  /** An adapterConfig with which a heartbeat succeeds. Default: {}. */
  readonly config?: Readonly<Record<string, unknown>>;
}

const hostileLines = [
  "",
  "plain",
  "{",
  "[]",
  "null",
  '{"type":null}',
  '{"type":{"a":[1]}}',
  "\u0000\u2028",
  "x".repeat(100_000),
];

/** Holds an adapter package, by its folder, to the contract. It runs in this process: for packages that you trust. */
export const checkConformance = async (
  folder: string,
  { config = {} }: ConformanceOptions = {},
): Promise<readonly Conformance[]> => {
  const found: Conformance[] = [];
  const check = async (rule: string, look: () => unknown): Promise<void> => {
    const problem = await Promise.resolve()
      .then(look)
      .then(
        (said) => (typeof said === "string" ? said : null),
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    found.push({ rule, problem });
  };
  const root = resolve(folder);
  const manifest = asObject(JSON.parse(await readFile(join(root, "package.json"), "utf8"))) ?? {};
  const exported = asObject(manifest.exports) ?? {};
  const uiParserFile = asText(exported["./ui-parser"]);

  await check(
    "package.json exports ., ./server and ./ui-parser",
    () =>
      [".", "./server", "./ui-parser"].every((name) => exported[name] !== undefined) ||
      "one of them is missing",
  );
  await check(
    "package.json lists only what is built in files",
    () => Array.isArray(manifest.files) || "it has no files",
  );
  await check(
    "package.json says version 1.x of the UI parser contract",
    () =>
      /^1\.\d+\.\d+$/.test(asText(asObject(manifest.boardroom)?.uiParser)) ||
      'it needs "boardroom": { "uiParser": "1.0.0" }',
  );

  const entry = pathToFileURL(join(root, asText(exported["."]) || "index.js")).href;
  const module = (await import(entry)) as AdapterPackage;
  await check(
    "type is snake_case",
    () => /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(module.type) || `it is ${module.type}`,
  );
  await check(
    "label and agentConfigurationDoc are texts",
    () =>
      (module.label !== "" &&
        typeof module.label === "string" &&
        typeof module.agentConfigurationDoc === "string") ||
      "one is not",
  );
  await check(
    "models have id and label",
    () =>
      module.models.every(({ id, label }) => typeof id === "string" && typeof label === "string") ||
      "one has not",
  );
  const adapter = module.createServerAdapter();
  await check(
    "the adapter has the type of the package",
    () => adapter.type === module.type || `it has ${adapter.type}`,
  );

  const cwd = await mkdtemp(join(tmpdir(), "conformance-"));
  try {
    await check("a heartbeat answers with exitCode and timedOut", async () => {
      const result = await adapter.execute(context(adapter, cwd, config, new AbortController().signal));
      if (result.errorMessage !== undefined) return result.errorMessage;
      return (
        (result.exitCode === 0 && result.timedOut === false) ||
        `exitCode ${result.exitCode}, timedOut ${result.timedOut}`
      );
    });
    await check("a heartbeat that is told to stop ends soon", async () => {
      const late = new Promise<string>((done) =>
        setTimeout(() => done("it went on for 10 seconds"), 10_000).unref(),
      );
      return Promise.race([
        adapter.execute(context(adapter, cwd, config, AbortSignal.abort())).then(() => null),
        late,
      ]);
    });
    await check("testEnvironment fails exactly where a check is an error", async () => {
      const { runProcess, env } = context(adapter, cwd, config, new AbortController().signal);
      const asked = { companyId: "company-1", adapterType: module.type, config, env, cwd, runProcess };
      const { status, checks, testedAt } = await adapter.testEnvironment(asked);
      if (Number.isNaN(Date.parse(testedAt))) return "testedAt is no time";
      return (status === "fail") === checks.some(({ level }) => level === "error") || `status is ${status}`;
    });
    await check(
      "a session codec answers null to what is no session",
      () =>
        [null, 3, "x", [], {}].every(
          (raw) => adapter.sessionCodec === undefined || adapter.sessionCodec.deserialize(raw) === null,
        ) || "it does not",
    );
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
  if (uiParserFile !== "") {
    await check("the UI parser imports nothing and survives hostile lines", async () => {
      const text = await readFile(join(root, uiParserFile), "utf8");
      if (/\brequire\s*\(|^\s*import\b/m.test(text)) return "it imports";
      const made = { exports: {} as { parseStdoutLine?: unknown } };
      new Function("exports", "module", `"use strict";${text}`)(made.exports, made);
      const parse = made.exports.parseStdoutLine;
      if (typeof parse !== "function") return "it exports no parseStdoutLine";
      return (
        hostileLines.every((line) => Array.isArray(parse(line, new Date(0).toISOString()))) ||
        "a line gave no array"
      );
    });
  }
  return found;
};

const context = (
  adapter: AgentAdapter,
  cwd: string,
  config: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): ExecuteContext => {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: cwd,
    SERVICE_RUN_ID: "run-1",
    SERVICE_TASK_ID: "issue-1",
  };
  const agent = {
    id: "agent-1",
    companyId: "company-1",
    name: "Ada",
    adapterType: adapter.type,
    adapterConfig: config,
  };
  return {
    runId: "run-1",
    agent,
    runtime: { sessionId: null, sessionParams: null, sessionDisplayId: null, taskKey: "issue-1" },
    config,
    context: {
      issueId: "issue-1",
      wakeReason: "issue_assigned",
      wakeSource: "assignment",
      wakeCommentIds: [],
      payload: {},
    },
    prompt: "Say hello.",
    variables: {
      agentId: "agent-1",
      agentName: "Ada",
      companyId: "company-1",
      runId: "run-1",
      taskId: "issue-1",
      taskTitle: "Title",
    },
    env,
    cwd,
    authToken: "token",
    signal,
    onLog: async () => {},
    onMeta: async () => {},
    runProcess: (spec) => runProgram(spec, { cwd, env, signal }),
  };
};
