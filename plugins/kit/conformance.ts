import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  AdapterPackage,
  AgentAdapter,
  ExecuteContext,
  ExecuteResult,
  ProcessSpec,
  TestEnvironmentContext,
} from "../../ports/agent-adapter.ts";
import { type Check, checkAnswers, type Limit } from "./conformance-answers.ts";
import { checkMessages } from "./conformance-messages.ts";
import { uiParserProblem } from "./conformance-ui-parser.ts";
import { asObject, asText, type Json } from "./json.ts";
import { runProgram } from "./run-program.ts";

/** One rule of the contract, and whether the package follows it. */
export interface Conformance {
  readonly rule: string;
  /** null where it does. */
  readonly problem: string | null;
}

export interface ConformanceOptions {
  /** An adapterConfig with which a heartbeat succeeds. Default: {}. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Turns a UI parser that is an ES module into a script, as the service does. Default: only scripts pass. */
  readonly uiParserScript?: (
    text: string,
  ) => Promise<{ readonly script: string } | { readonly problem: string }>;
}

/**
 * Checks an adapter package, by its folder, against the contract. It runs in this process: use it for trusted packages.
 */
export const checkConformance = async (
  folder: string,
  { config = {}, uiParserScript = async (script) => ({ script }) }: ConformanceOptions = {},
): Promise<readonly Conformance[]> => {
  const found: Conformance[] = [];
  const check: Check = async (rule, inspect, limit = { sec: 120 }) => {
    const problem = await within(limit, Promise.resolve().then(inspect)).then(
      (value) => (typeof value === "string" ? value : null),
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    found.push({ rule, problem });
  };
  const root = resolve(folder);
  let manifest: Json = {};
  await check("package.json is there, and JSON", async () => {
    manifest = asObject(JSON.parse(await readFile(join(root, "package.json"), "utf8"))) ?? {};
  });
  const exported = asObject(manifest.exports) ?? {};
  const uiParserFile = fileOf(exported["./ui-parser"]);

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

  const loaded: { module?: AdapterPackage } = {};
  await check("its code loads and exports createServerAdapter", async () => {
    const entry = fileOf(exported["."]) || "index.js";
    const module = rootOf(await import(pathToFileURL(join(root, entry)).href));
    if (typeof module.createServerAdapter !== "function") return "it exports no function of that name";
    loaded.module = module;
    return null;
  });
  if (loaded.module !== undefined) await checkModule(check, loaded.module, config);
  if (uiParserFile !== "")
    await check("the UI parser is self-contained, touches nothing and survives hostile lines", async () => {
      const made = await uiParserScript(await readFile(join(root, uiParserFile), "utf8"));
      return "problem" in made ? made.problem : uiParserProblem(made.script);
    });
  return found;
};

/** Rejects at the limit, even if the work never ends and nothing else keeps the process alive. */
const within = async <A>({ sec, by }: Limit, work: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const why = `it went on for ${sec} seconds${by === undefined ? "" : ` (${by})`}`;
    timer = setTimeout(() => reject(new Error(why)), Math.min(sec * 1000, 2 ** 31 - 1));
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

/** The limit of a run with that configuration. If none is set, the limit of a program, because a check is short. */
const limitOfRun = (config: Readonly<Record<string, unknown>>): Limit => ({
  sec: secondsOf(config.timeoutSec, 300) + secondsOf(config.graceSec, 10),
  by: "timeoutSec and graceSec of the configuration",
});

/** The adapter refuses other values itself. */
const secondsOf = (value: unknown, otherwise: number): number =>
  typeof value === "number" && value > 0 ? value : otherwise;

/** Resolves conditional exports; "" where none is known. */
const fileOf = (exported: unknown): string => {
  const { import: imported, default: otherwise } = asObject(exported) ?? {};
  return asText(exported) || asText(imported) || asText(otherwise);
};

/** Returns `module.exports` of a CommonJS package, whose names are not always known before it runs. */
const rootOf = (module: Partial<AdapterPackage> & { readonly default?: unknown }): AdapterPackage =>
  (module.createServerAdapter === undefined
    ? (asObject(module.default) ?? module)
    : module) as AdapterPackage;

/** Checks what the package says of itself, and its adapter. */
const checkModule = async (
  check: Check,
  module: AdapterPackage,
  config: Readonly<Record<string, unknown>>,
): Promise<void> => {
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
  const made: { adapter?: AgentAdapter } = {};
  await check("the adapter has the type of the package", async () => {
    const adapter = await module.createServerAdapter();
    made.adapter = adapter;
    return adapter.type === module.type || `it has ${adapter.type}`;
  });
  if (made.adapter != null) await checkAdapter(check, made.adapter, config);
};

/** Checks what an adapter does, in a folder of its own, and ends its programs. */
const checkAdapter = async (
  check: Check,
  adapter: AgentAdapter,
  config: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const cwd = await mkdtemp(join(tmpdir(), "conformance-"));
  const over = new AbortController();
  const programs: Promise<unknown>[] = [];
  try {
    const specs: ProcessSpec[] = [];
    const heartbeat = (): ExecuteContext => {
      const run = context(adapter, cwd, config, over.signal);
      const runProcess: ExecuteContext["runProcess"] = (spec) => {
        specs.push(spec);
        const ended = run.runProcess(spec);
        programs.push(ended);
        return ended;
      };
      return { ...run, runProcess };
    };
    const result = await checkHeartbeat(check, () => adapter.execute(heartbeat()), specs, limitOfRun(config));
    await check(
      "a heartbeat ends soon after its stop signal",
      () => adapter.execute(context(adapter, cwd, config, AbortSignal.abort())).then(() => null),
      { sec: 10 },
    );
    await checkMessages(check, adapter, heartbeat);
    await check("testEnvironment fails exactly where a check is an error", async () => {
      const { status, checks, testedAt } = await adapter.testEnvironment(
        contextOfQuestions(adapter, cwd, config),
      );
      if (Number.isNaN(Date.parse(testedAt))) return "testedAt is no time";
      return (status === "fail") === checks.some(({ level }) => level === "error") || `status is ${status}`;
    });
    await checkAnswers(check, adapter, contextOfQuestions(adapter, cwd, config), result);
  } finally {
    // Ends the programs of unfinished heartbeats; the limit exceeds each usual grace.
    over.abort();
    await within({ sec: 30 }, Promise.allSettled(programs)).catch(() => undefined);
    await rm(cwd, { recursive: true, force: true });
  }
};

/** Checks one heartbeat and the programs that it ran; null: it gave no result. */
const checkHeartbeat = async (
  check: Check,
  execute: () => Promise<ExecuteResult>,
  specs: readonly ProcessSpec[],
  limit: Limit,
): Promise<ExecuteResult | null> => {
  let result: ExecuteResult | null = null;
  await check(
    "a heartbeat answers with exitCode and timedOut",
    async () => {
      result = await execute();
      if (result.errorMessage !== undefined) return result.errorMessage;
      return (
        (result.exitCode === 0 && result.timedOut === false) ||
        `exitCode ${result.exitCode}, timedOut ${result.timedOut}`
      );
    },
    limit,
  );
  await check(
    "every program has a time limit and a grace period",
    () =>
      specs.every(({ timeoutSec, graceSec }) => timeoutSec > 0 && graceSec > 0) ||
      "timeoutSec and graceSec of runProcess must be above 0",
  );
  await check(
    "the run's token is in no argument and no prompt",
    () =>
      specs.every(({ args, stdin = "" }) => ![...args, stdin].some((text) => text.includes(token))) ||
      "secrets go into the environment, where the token is already",
  );
  return result;
};

/** A token that no other text contains. */
const token = "token-of-the-run-3f9a1c";

const contextOfQuestions = (
  adapter: AgentAdapter,
  cwd: string,
  config: Readonly<Record<string, unknown>>,
): TestEnvironmentContext => {
  const { runProcess, env } = context(adapter, cwd, config, new AbortController().signal);
  return { companyId: "company-1", adapterType: adapter.type, config, env, cwd, runProcess };
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
    SERVICE_API_KEY: token,
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
    files: `${cwd}-files`,
    authToken: token,
    signal,
    onLog: async () => {},
    onMeta: async () => {},
    runProcess: (spec) => runProgram(spec, { cwd, env, signal }),
    readText: (path) => readFile(path, "utf8"),
  };
};
