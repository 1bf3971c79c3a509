import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { agentRunner } from "../../adapters-infra/plugins/agent-runner.ts";
import { type PluginLoader, pluginLoader } from "../../adapters-infra/plugins/plugin-loader.ts";
import type { ExecuteResult } from "../../ports/agent-adapter.ts";
import type { Assignment, RunSupervision } from "../../ports/agent-runner.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import { adapterHosts } from "../support/adapter-hosts.ts";
import { eventually } from "../support/eventually.ts";
import {
  externalAdapterCode,
  externalAdapterPackage,
  temporaryFolder,
  writeFiles,
} from "../support/external-adapter.ts";
import { installation } from "../support/installation.ts";
import { processorTime } from "../support/processor-time.ts";
import { stateOf } from "../support/run-processes.ts";
import { aWorkspace } from "../support/workspaces.ts";

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

const processes = childProcessRunner({ installation });
let count = 0;
const load = async (
  code: string | ((type: string) => string),
  manifest: object = {},
  runner: ProcessRunner = processes,
  /** A test that runs with others closes what it has loaded at its own end. */
  atEnd: (close: () => Promise<void>) => void = (close) => void closes.push(close),
) => {
  count += 1;
  const type = `external_${count}`;
  const text = typeof code === "string" ? code : code(type);
  const directory = externalAdapterPackage(
    folder,
    `external-${count}`,
    text,
    manifest as Record<string, unknown>,
  );
  const registry = pluginLoader({
    plugins: async () => [
      {
        directory,
        source: "local",
        entry: { type, packageName: null, localPath: directory, version: null },
      },
    ],
    hosts: { ...adapterHosts(), processes: runner },
    clock: systemClock,
    onProblem: () => {},
  });
  atEnd(() => Effect.runPromise(registry.close()));
  await Effect.runPromise(registry.loadAll());
  const [known] = registry.known();
  return { type, registry, known: known!, loaded: registry.loaded().get(type) };
};

interface Heartbeat {
  readonly runId: string;
  readonly result: ExecuteResult;
  readonly log: string;
  readonly metas: readonly unknown[];
  readonly sessions: readonly unknown[];
  readonly usages: readonly unknown[];
  readonly tookMs: number;
}

/** Runs one heartbeat like the service, without storage. */
const heartbeat = async (
  { registry, type }: { registry: PluginLoader; type: string },
  around: Partial<RunSupervision & Assignment> = {},
): Promise<Heartbeat> => {
  const runId = randomUUID();
  const log: string[] = [];
  const metas: unknown[] = [];
  const sessions: unknown[] = [];
  const usages: unknown[] = [];
  const assignment = {
    runId,
    agent: { id: "a", companyId: "c", name: "Ada", adapterType: type, adapterConfig: {} },
    runtime: { sessionId: null, sessionParams: null, sessionDisplayId: null, taskKey: "t" },
    config: {},
    context: {
      issueId: null,
      wakeReason: "manual",
      wakeSource: "on_demand",
      wakeCommentIds: [],
      payload: {},
    },
    prompt: "",
    variables: { agentId: "a", agentName: "Ada", companyId: "c", runId, taskId: "", taskTitle: "" },
    env: { PATH: process.env.PATH ?? "", SERVICE_RUN_ID: runId },
    cwd: folder,
    files: join(folder, "files"),
    authToken: "t",
    ...around,
  };
  const supervision: RunSupervision = {
    stop: around.stop ?? new AbortController().signal,
    onOutput:
      around.onOutput ?? ((_stream, chunk) => Effect.sync(() => void log.push(String(chunk).slice(0, 1000)))),
    onMeta: (meta) => Effect.sync(() => void metas.push(meta)),
    onSession: (params, displayId) => Effect.sync(() => void sessions.push({ params, displayId })),
    onUsage: (report) => Effect.sync(() => void usages.push(report)),
    onLimits: () => Effect.void,
    onPermission: around.onPermission ?? (() => Effect.succeed({ allow: true })),
    onWord: around.onWord ?? (() => Effect.succeed(null)),
    onTaken: (id, how) => Effect.sync(() => void log.push(`${how} ${id}\n`)),
    onStarted: around.onStarted ?? (() => Effect.void),
    onPlacement: () => Effect.void,
  };
  const startedAt = performance.now();
  const result = await Effect.runPromise(
    agentRunner(registry, { processes, workspaces: adapterHosts().workspaces }).execute(
      type,
      assignment,
      { processes, workspace: aWorkspace(assignment.cwd, { env: { PATH: process.env.PATH ?? "" } }) },
      supervision,
    ),
  );
  return {
    runId,
    result,
    log: log.join(""),
    metas,
    sessions,
    usages,
    tookMs: performance.now() - startedAt,
  };
};

const code =
  (execute: string, more: { top?: string; members?: string } = {}) =>
  (type: string) =>
    externalAdapterCode({ type, execute, ...more });
const ok = "return { exitCode: 0, timedOut: false };";

describe("the exports of an external adapter are checked:", () => {
  it.concurrent.for<[string, (type: string) => string, RegExp]>([
    [
      "a million models",
      (type) =>
        code(ok)(type).replace('[{ id: "m", label: "M" }]', "Array(1e6).fill({ id: 'm', label: 'M' })"),
      /more than 8 MiB at once/,
    ],
    [
      "ten thousand models",
      (type) =>
        code(ok)(type).replace('[{ id: "m", label: "M" }]', "Array(1e4).fill({ id: 'm', label: 'M' })"),
      /models: must be at most 5000/,
    ],
    [
      "a documentation of 100 MB",
      (type) => code(ok)(type).replace('"# " + type', "'x'.repeat(1e8)"),
      /more than 8 MiB at once/,
    ],
    [
      "a documentation of 1 MB",
      (type) => code(ok)(type).replace('"# " + type', "'x'.repeat(1e6)"),
      /agentConfigurationDoc: must be at most/,
    ],
    [
      "a type from the prototype of everything",
      () => code(ok)("__proto__").replace("createServerAdapter = () => ({", "createServerAdapter = () => ({"),
      /must be snake_case/,
    ],
    ["another type than it was installed as", () => code(ok)("other"), /is of type other now/],
    [
      "a getter that throws",
      code(ok, { members: "get listModels() { throw new Error('no such luck'); }," }),
      /no such luck/,
    ],
    [
      "a getter that ends the process",
      code(ok, { members: "get listModels() { process.exit(7); }," }),
      /exit code 7/,
    ],
    ["an exit on import", code(ok, { top: "process.exit(5);" }), /exit code 5/],
    [
      "an exit with words",
      code(ok, { top: "console.error('Error: \\u001b[31mred\\u0007'); process.exit(1);" }),
      /^The process of external-\d+ ended with exit code 1: Error: red\.$/,
    ],
    ["a throw of nothing", code(ok, { top: "throw null;" }), /cannot be loaded: null/],
    [
      "a throw without words",
      code(ok, { top: "throw Object.create(null);" }),
      /cannot be loaded: it threw something that is no error/,
    ],
    ["what does not parse", () => "no code;", /cannot be loaded: Unexpected identifier 'code'(?: \(index|$)/],
    ["a mistake, by its line", code(ok, { top: "null.x;" }), /reading 'x'\) \(index\.js:2:6\)/],
    [
      "more memory than it may have",
      code(ok, { top: "const a = []; for (;;) a.push(new Array(1e7).fill(0));" }),
      /heap/,
    ],
    [
      "half a session codec",
      code(ok, { members: "sessionCodec: { deserialize: () => null, serialize: () => null }," }),
      /sessionCodec\.getDisplayId: must be a function/,
    ],
    [
      "a rejection nobody handles",
      code(ok, {
        top: "Promise.reject(new Error('left alone')); await new Promise((done) => setTimeout(done, 500));",
      }),
      /left alone/,
    ],
    [
      "a factory that never comes to an end",
      (type) =>
        code(ok)(type).replace(
          "createServerAdapter = () => ({",
          "createServerAdapter = () => new Promise(() => {}); const unused = () => ({",
        ),
      /no answer in 10 seconds/,
    ],
    [
      "words that are no message",
      code(ok, {
        top: "import { writeSync } from 'node:fs'; writeSync(3, 'hello\\n'); await new Promise(() => {});",
      }),
      /no message/,
    ],
    [
      "a message without an end",
      code(ok, {
        top: "import { writeSync } from 'node:fs'; for (;;) { try { writeSync(3, 'x'.repeat(65536)); } catch {} }",
      }),
      /more than 8 MiB at once/,
    ],
    [
      "an end of the conversation",
      code(ok, { top: "import { closeSync } from 'node:fs'; closeSync(3); await new Promise(() => {});" }),
      /ended the conversation|exit code|no answer/,
    ],
  ])("%s", async ([_what, text, problem], { onTestFinished }) => {
    const { known, loaded } = await load(text, {}, processes, onTestFinished);
    expect(loaded).toBeUndefined();
    expect(known.status).toBe("failed");
    expect(known.problem).toMatch(problem);
    expect(known.problem!.length).toBeLessThan(1001);
    expect(known.problem).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });

  it("an exit is reported by its code, even where a busy machine takes long to end what is left of it", async () => {
    const late: ProcessRunner = {
      ...processes,
      run: (...asked) => Effect.tap(processes.run(...asked), () => Effect.sleep(2_500)),
    };
    const { known } = await load(code(ok, { top: "process.exit(5);" }), {}, late);
    expect(known.problem).toMatch(/ended with exit code 5/);
  });

  it("labels lose terminal escapes, and values of __proto__ change nothing", async () => {
    const { loaded } = await load((type) =>
      code(ok)(type)
        .replace('"An external adapter"', '"\\u001b[31mRed\\u001b]0;title\\u0007 <b>\\n\\u202ebold</b>"')
        .replace('label: "M" }', 'label: "M\\u001b[2J", ...JSON.parse(\'{"__proto__":{"polluted":1}}\') }'),
    );
    expect(loaded?.label).toBe("Red ]0;title <b> bold</b>");
    expect(loaded?.models).toEqual([{ id: "m", label: "M" }]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("a CommonJS package is what its module.exports is", async () => {
    const { loaded, known } = await load(
      (type) => `const adapter = { type: "${type}", label: "Old", models: [], agentConfigurationDoc: "",
        execute: async () => ({ exitCode: 0, timedOut: false }), testEnvironment: async () => ({}) };
      module.exports = { ...adapter, createServerAdapter: () => adapter };`,
      { type: "commonjs" },
    );
    expect(known.problem).toBeNull();
    expect(loaded?.label).toBe("Old");
  });

  describe("without createServerAdapter", () => {
    const functions = `execute = async (context) => ({ exitCode: 0, timedOut: false, summary: JSON.stringify({
        at: process.env.PAPERCLIP_API_URL, context: context.context }) });
      const testEnvironment = async () => ({});`;
    const loadWith = (server: string) => {
      writeFiles(join(folder, `external-${count + 1}`), { "server.js": server });
      return load((type) => code(ok)(type).replace("createServerAdapter", "unused"), {
        exports: { ".": "./index.js", "./server": "./server.js" },
      });
    };

    it("is adapted by the functions of its ./server, which find service and task by the names that they know", async () => {
      const adapter = await loadWith(`const ${functions} export { execute, testEnvironment };`);
      expect(adapter.known).toMatchObject({ status: "loaded", problem: null });
      const { result } = await heartbeat(adapter, {
        prompt: "Mend the net.",
        houseRules: "Say knots.",
        env: { PATH: process.env.PATH ?? "", SERVICE_API_URL: "http://127.0.0.1:1" },
        context: {
          issueId: "issue-1",
          wakeReason: "issue_commented",
          wakeSource: "automation",
          wakeCommentIds: ["comment-1", "comment-2"],
          payload: {},
        },
      });
      expect(JSON.parse(result.summary ?? "")).toMatchObject({
        at: "http://127.0.0.1:1",
        context: {
          issueId: "issue-1",
          taskId: "issue-1",
          wakeCommentId: "comment-2",
          paperclipTaskMarkdown: "Say knots.\n\nMend the net.",
        },
      });
    });

    it.each([
      ["neither has them", `export const ${functions}`, /not both execute and testEnvironment/],
      ["cannot be loaded", "throw new Error('Not here.');", /Its \.\/server cannot be loaded: Not here\./],
    ])("is refused with the reason where ./server %s", async (_what, server, problem) => {
      expect((await loadWith(server)).known).toMatchObject({
        status: "failed",
        problem: expect.stringMatching(problem),
      });
    });
  });

  it.each([
    ["keeps its agents' files on their host unless it says otherwise", {}, true],
    ["may keep no files, and its agents then belong to no host", { members: "keepsFiles: false," }, false],
  ])("it %s", async (_, members, keepsFiles) => {
    expect((await load(code(ok, members))).loaded?.keepsFiles).toBe(keepsFiles);
  });

  it("of the wrong kind of module is refused with a hint", async () => {
    const { known } = await load(code(ok), { type: "commonjs" });
    expect(known.problem).toMatch(/cannot be loaded: .*Say "type": "module" in its package\.json/);
  });

  it("methods of a class are methods", async () => {
    const adapter = await load(
      (type) => `${code(ok)(type).replace("createServerAdapter", "unused")}
      class A { type = type; models = models; agentConfigurationDoc = "";
        async execute() { return { exitCode: 0, timedOut: false, summary: this.type }; }
        async testEnvironment() { return {}; } }
      export const createServerAdapter = () => new A();`,
    );
    expect((await heartbeat(adapter)).result).toMatchObject({ exitCode: 0, summary: adapter.type });
  });
});

it("An external adapter that reports no reason fails with that of its program", async () => {
  const run = `const { exitCode, signal } = await context.runProcess({ command: "sh", timeoutSec: 9, graceSec: 1,
    args: ["-c", "echo 'Error: no tide table' >&2; echo '    at read (tides.js:3:1)' >&2; exit 4"] });
    return { exitCode, signal, timedOut: false };`;
  const { result } = await heartbeat(await load(code(run)));
  expect(result).toMatchObject({ exitCode: 4, errorMessage: "Error: no tide table (exit code 4)." });
});

describe("the result of an external adapter is checked:", () => {
  const cases: [string, string, object][] = [
    ["nothing", "return;", { errorCode: "adapter_failed" }],
    ["a text", "return 'fine';", { errorCode: "adapter_failed" }],
    ["a list", "return [];", { exitCode: null }],
    [
      "numbers that are none",
      "return { exitCode: '0', timedOut: 'no', costUsd: NaN };",
      { exitCode: null, timedOut: false },
    ],
    ["a negative cost", "return { exitCode: 0, timedOut: false, costUsd: -5 };", { costUsd: undefined }],
    [
      "a cost beyond all money",
      "return { exitCode: 0, timedOut: false, costUsd: 1e300 };",
      { costUsd: undefined },
    ],
    [
      "negative and broken usage",
      "return { exitCode: 0, timedOut: false, usage: { inputTokens: -1, outputTokens: 1.6, cachedInputTokens: 1e300 } };",
      { usage: { inputTokens: 0, outputTokens: 2, cachedInputTokens: 0 } },
    ],
    [
      "a session of 100 KB",
      "return { exitCode: 0, timedOut: false, sessionParams: { a: 'x'.repeat(1e5) } };",
      { exitCode: 0, sessionParams: undefined },
    ],
    [
      "a session of 100 MB",
      "return { exitCode: 0, timedOut: false, sessionParams: { a: 'x'.repeat(1e8) } };",
      { errorMessage: expect.stringMatching(/more than 8 MiB/) },
    ],
    [
      "a result deeper than the sea",
      "let deep = 1; for (let i = 0; i < 1000; i++) deep = [deep]; return { exitCode: 0, timedOut: false, resultJson: { deep } };",
      { exitCode: 0, resultJson: undefined },
    ],
    [
      "texts that no database keeps",
      "return { exitCode: 0, timedOut: false, summary: 'a\\u0000b\\ud800', resultJson: { 'x\\u0000': ['\\udfff'] } };",
      { summary: "a\uFFFDb\uFFFD", resultJson: { "x\uFFFD": ["\uFFFD"] } },
    ],
    [
      "a time that is none",
      "return { exitCode: 1, timedOut: false, errorMessage: 'e', retryNotBefore: 'soon' };",
      { errorMessage: "e", retryNotBefore: undefined },
    ],
    [
      "the year 9999, which the gate shortens",
      "return { exitCode: 1, timedOut: false, errorMessage: 'e', retryNotBefore: '9999-01-01T00:00:00.000Z' };",
      { retryNotBefore: "9999-01-01T00:00:00.000Z" },
    ],
    [
      "an error that is no text",
      "return { exitCode: 0, timedOut: false, errorMessage: { a: 1 } };",
      { errorMessage: expect.stringMatching(/failure/) },
    ],
    [
      "a family nobody knows",
      "return { exitCode: 1, timedOut: false, errorFamily: '__proto__' };",
      { errorFamily: undefined },
    ],
  ];
  it("each case alone, and the next run succeeds", async () => {
    const adapter = await load(
      code(
        `const cases = [${cases.map(([, body]) => `async () => { ${body} }`).join(",\n")}]; return cases[context.config.at]();`,
      ),
    );
    for (const [at, [what, , expected]] of cases.entries()) {
      const { result } = await heartbeat(adapter, { config: { at } });
      for (const [key, value] of Object.entries(expected))
        expect(result[key as keyof ExecuteResult], `${what}: ${key}`).toEqual(value);
    }
  });

  it("memory beyond the heap is freed with the process", async () => {
    const adapter = await load(
      code(`const held = [];
        while (held.length < 24) { held.push(Buffer.alloc(50e6, 1)); await new Promise((done) => setTimeout(done, 20)); }
        await new Promise((done) => setTimeout(done, 60_000));`),
    );
    const { result } = await heartbeat(adapter);
    expect(result.errorMessage).toMatch(/took more than 1024 MiB of memory/);
  });

  it("dropped fields appear in the run's log", async () => {
    const adapter = await load(
      code("return { exitCode: 0, timedOut: false, costUsd: -1, sessionParams: { a: 'x'.repeat(1e5) } };"),
    );
    expect((await heartbeat(adapter)).log).toMatch(/Left out .*: sessionParams, costUsd\./);
  });
});

describe("the callbacks of an external adapter are checked:", () => {
  const refused = (call: string) =>
    `try { await context.${call}; return { exitCode: 0, timedOut: false, summary: "accepted" }; }
     catch (error) { return { exitCode: 0, timedOut: false, summary: "refused: " + error.message }; }`;
  it.each([
    ["no list of arguments", "runProcess({ command: 'true', timeoutSec: 1, graceSec: 1 })", /args/],
    [
      "a command that is no text",
      "runProcess({ command: {}, args: [], timeoutSec: 1, graceSec: 1 })",
      /command/,
    ],
    ["a NUL", "runProcess({ command: 'a\\0b', args: [], timeoutSec: 1, graceSec: 1 })", /NUL/],
    [
      "a name that hides another",
      "runProcess({ command: 'true', args: [], env: { 'AGENT_HOME=x': 'y' }, timeoutSec: 1, graceSec: 1 })",
      /= or NUL in a name/,
    ],
    ["a stream nobody knows", "onLog('stdfoo', 'x')", /onLog takes/],
    ["a log that is no text", "onLog('stdout', { a: 1 })", /onLog takes/],
    ["usage that is none", "onUsage({ usage: 'much' })", /onUsage takes/],
    ["a session that is none", "onSession('me', null)", /no session/],
    ["too long a log", "onLog('stdout', 'x'.repeat(2e7))", /more than 8 MiB/],
  ])("%s", async (_what, call, message) => {
    const { result } = await heartbeat(await load(code(refused(call))));
    expect(result.summary).toMatch(/^refused: /);
    expect(result.summary).toMatch(message);
  });

  it.each([
    ["nothing", "onMeta()", []],
    ["a huge invocation", "onMeta({ command: 'x', args: ['x'.repeat(1e6)], cwd: '/' })", []],
    ["a command only", "onMeta({ command: 'x' })", [{ command: "x", args: [], cwd: folder }]],
    ["no command", "onMeta({ args: [1], notes: ['n'] })", [{ args: [], cwd: folder, notes: ["n"] }]],
  ])("an invocation with %s informs as far as it can, and fails no run", async (_what, call, expected) => {
    const { result, metas, log } = await heartbeat(await load(code(refused(call))));
    expect(result.summary).toBe("accepted");
    expect(metas).toMatchObject(expected);
    expect(log.includes("onMeta takes command, args and cwd")).toBe(expected.length === 0);
  });

  it.each(["Infinity", "NaN", "0", "-1", "undefined", "1e400"])(
    "a program without a time limit (%s) is not started",
    async (timeoutSec) => {
      const run = `const outcome = await context.runProcess({ command: "true", args: [], timeoutSec: ${timeoutSec}, graceSec: 1 });
        return { exitCode: outcome.exitCode, timedOut: false, summary: outcome.startError };`;
      const { result } = await heartbeat(
        await load(
          code(
            timeoutSec === "undefined"
              ? refused(`runProcess({ command: "true", args: [], graceSec: 1 })`)
              : run,
          ),
        ),
      );
      expect(result.summary).toMatch(/timeoutSec/);
    },
  );

  it("functions of the object prototype do not exist", async () => {
    const { result } = await heartbeat(
      await load(
        code(
          `const { writeSync } = await import("node:fs");
           for (const name of ["constructor", "__proto__", "hasOwnProperty", "over:1", "nothing"])
             writeSync(3, JSON.stringify({ of: 2, name, args: [], seq: 1000 }) + "\\n");
           return { exitCode: 0, timedOut: false };`,
        ),
      ),
    );
    expect(result.exitCode).toBe(0);
  });

  it("asks people through the service, while the time of its run stands still", async () => {
    const adapter = await load(
      code(
        `const answer = await context.askPermission({ tool: "Bash", title: "make" });
         const wrong = await context.askPermission({ tool: 7 }).catch((error) => error.message);
         return { exitCode: 0, timedOut: false, summary: JSON.stringify(answer) + wrong };`,
      ),
    );
    const asked: unknown[] = [];
    const { result } = await heartbeat(adapter, {
      config: { timeoutSec: 2, graceSec: 1 },
      onPermission: (request) =>
        Effect.as(
          Effect.andThen(
            Effect.sync(() => void asked.push(request)),
            // Longer than the run's time.
            Effect.sleep(4_000),
          ),
          { allow: false, message: "Not today." },
        ),
    });
    expect(asked).toEqual([{ tool: "Bash", title: "make" }]);
    expect(result).toMatchObject({
      exitCode: 0,
      timedOut: false,
      summary: expect.stringMatching(/^\{"allow":false,"message":"Not today\."\}askPermission takes tool/),
    });
  });

  it("hears what people say, and waits for one word at a time", async () => {
    const adapter = await load(
      code(
        `const heard = context.nextWord({ interrupt: true });
         const second = await context.nextWord({}).catch((error) => error.message);
         await context.onLog("stdout", "waits");
         const { kind, id, text } = await heard;
         await context.onTaken(id, "taken");
         const wrong = await context.onTaken(7, "read").catch((error) => error.message);
         return { exitCode: 0, timedOut: false, summary: [kind, text, second, wrong].join(" | ") };`,
      ),
    );
    const asked: unknown[] = [];
    let say = () => {};
    const { result, log } = await heartbeat(adapter, {
      onWord: (takes) => {
        asked.push(takes);
        return Effect.callback((resume) => {
          say = () => resume(Effect.succeed({ kind: "message", id: "m-1", text: "Use the blue yarn." }));
        });
      },
      // Nothing is said before a second wait was refused.
      onOutput: () => Effect.sync(() => say()),
    });
    expect(asked).toEqual([{ interrupt: true }]);
    expect(result.summary).toBe(
      'message | Use the blue yarn. | nextWord waits already. | onTaken takes the id of a message, and "queued" or "taken".',
    );
    expect(log).toContain("taken m-1");
  });

  it("answers without a call change nothing", async () => {
    const adapter = await load(
      code(
        `const { writeSync } = await import("node:fs");
         for (const id of [0, 1, 99, -1, 1e300]) writeSync(3, JSON.stringify({ id, value: { exitCode: 3 } }) + "\\n");
         ${ok}`,
      ),
    );
    expect((await heartbeat(adapter)).result.exitCode).toBe(0);
    expect((await heartbeat(adapter)).result.exitCode).toBe(0);
  });

  it("answers without a call delay no other, however many", async () => {
    const flood = `const { writeSync } = await import("node:fs");
      const lines = Buffer.from('{"of":77,"name":"onLog","seq":1,"args":[]}\\n'.repeat(3000));
      for (const until = Date.now() + 3000; Date.now() < until; await new Promise((done) => setImmediate(done)))
        for (let at = 0; at < lines.length; ) {
          try { at += writeSync(3, lines, at); } catch { await new Promise((done) => setTimeout(done, 1)); }
        }`;
    const adapter = await load(code(`${flood} ${ok}`));
    let longest = 0;
    let took = processorTime();
    const watch = setInterval(() => {
      longest = Math.max(longest, took());
      took = processorTime();
    }, 10);
    await heartbeat(adapter);
    clearInterval(watch);
    expect(longest).toBeLessThan(1_500);
  });

  it("a program or a log line after the end of the run is refused, and nothing of it remains", async () => {
    const file = join(folder, "left-behind");
    const adapter = await load(
      code(
        `const { appendFileSync } = await import("node:fs");
         globalThis.runs = (globalThis.runs ?? 0) + 1;
         const note = (text) => appendFileSync(${JSON.stringify(file)}, text + "\\n");
         setTimeout(() => {
           context.runProcess({ command: "true", args: [], timeoutSec: 1, graceSec: 1 }).then(() => note("started"));
           context.onLog("stdout", "late");
         }, 200);
         return { exitCode: 0, timedOut: false, summary: String(runs), resultJson: { pid: process.pid } };`,
      ),
    );
    for (const _ of [1, 2]) {
      const { result, log } = await heartbeat(adapter);
      expect(result.summary).toBe("1");
      expect(log).toBe("");
      expect(["Z", "X", null]).toContain(stateOf((result.resultJson as { pid: number }).pid));
    }
    expect(existsSync(file)).toBe(false);
  });

  it("a flood of log lines is read only as fast as it can be stored", async () => {
    let most = 0;
    let under = 0;
    const adapter = await load(
      code(
        `await Promise.all(Array.from({ length: 2000 }, () => context.onLog("stdout", "x".repeat(10000)))); ${ok}`,
      ),
    );
    const { result } = await heartbeat(adapter, {
      onOutput: () =>
        Effect.gen(function* () {
          under += 1;
          most = Math.max(most, under);
          yield* Effect.sleep(1);
          under -= 1;
        }),
    } as Partial<RunSupervision>);
    expect(result.exitCode).toBe(0);
    expect(most).toBeLessThan(200);
  });
});

describe("a program of an external adapter", () => {
  it("that prints its result and then hangs is stopped after five seconds", async () => {
    const adapter = await load(
      code(
        `const outcome = await context.runProcess({ command: "sh", args: ["-c", "echo one; echo RESULT; sleep 60"],
           timeoutSec: 50, graceSec: 1, onStdoutLine: (line) => line === "RESULT" });
         return { exitCode: 0, timedOut: outcome.timedOut, resultJson: outcome };`,
      ),
    );
    const { result, tookMs } = await heartbeat(adapter);
    expect(result.resultJson).toMatchObject({ endedAfterResult: true, timedOut: false });
    expect(tookMs).toBeGreaterThan(4_900);
  });

  it("delivers all its lines before its end, however many, and waits for slow readers", async () => {
    const adapter = await load(
      code(
        `let lines = 0, last = "";
         const outcome = await context.runProcess({ command: "seq", args: ["1", "300000"], timeoutSec: 50, graceSec: 1,
           onStdoutLine: (line) => { lines += 1; last = line; for (let i = 0; i < 200; i++); } });
         return { exitCode: outcome.exitCode, timedOut: false, summary: lines + " " + last };`,
      ),
    );
    expect((await heartbeat(adapter)).result).toMatchObject({ exitCode: 0, summary: "300000 300000" });
  });
});

describe("an open input of a program of an external adapter", () => {
  const talk = (program: string, each: string, more = "") =>
    code(
      `const lines = [];
       let input = null;
       const outcome = await context.runProcess({ ${program}, timeoutSec: 50, graceSec: 1,
         onInput: (open) => { input = open; input.write("0\\n"); },
         onStdoutLine: (line) => { lines.push(line); ${each} } });
       ${more}
       return { exitCode: 0, timedOut: false, resultJson: { ...outcome, lines: lines.length, last: lines.at(-1).slice(-20),
         inOrder: lines.every((line, at) => line === String(at)) } };`,
    );
  const cat = `command: "cat", args: []`;

  it("carries a conversation of 1,000 lines in both directions, in order, to its end", async () => {
    const each = "if (lines.length === 1000) input.end(); else input.write(lines.length + '\\n');";
    const { result } = await heartbeat(await load(talk(cat, each)));
    expect(result.resultJson).toMatchObject({ exitCode: 0, lines: 1000, last: "999", inOrder: true });
  });

  it("passes on a text longer than a message, with every character of it", async () => {
    const each = `if (lines.length > 1) return;
      input.write("x" + "\u{1f600}".repeat(3_000_000) + "\\n"); input.end();`;
    const count = `command: "sh", args: ["-c", "read first; echo $first; cat | wc -c"]`;
    const { result } = await heartbeat(await load(talk(count, each)));
    expect(result.resultJson).toMatchObject({ exitCode: 0, last: "12000002" });
  });

  it("of a program that exits in mid-conversation drops what follows, also after its end", async () => {
    const each = "for (let i = 0; i < 100; i++) input.write('more\\n');";
    const once = `command: "sh", args: ["-c", "read line; echo $line; exit 3"]`;
    const late = "input.write('late'); input.end(); input.end();";
    const { result } = await heartbeat(await load(talk(once, each, late)));
    expect(result.resultJson).toMatchObject({ exitCode: 3, lines: 1, last: "0" });
  });

  it("ends a run whose program leaves too much of it unread", async () => {
    const each = "for (let i = 0; i < 40; i++) input.write('z'.repeat(1_000_000));";
    const deaf = `command: "sh", args: ["-c", "read line; echo $line; sleep 60"]`;
    const { result } = await heartbeat(await load(talk(deaf, each)));
    expect(result).toMatchObject({ errorCode: "input_unread", timedOut: false });
    expect(result.errorMessage).toContain("did not read its input");
  });

  it("is over when a promise of the adapter says so", async () => {
    const each = `input.write(lines.length + "\\n");
      return new Promise((done) => setTimeout(() => done(lines.length >= 5), 1));`;
    const { result } = await heartbeat(await load(talk(cat, each)));
    expect(result.resultJson).toMatchObject({ endedAfterResult: true, timedOut: false });
  });

  it("ends with a run that is stopped, and nothing of it remains", async () => {
    const stop = new AbortController();
    const each = `input.write(lines.length + "\\n");
      if (lines.length === 20) context.onLog("system", "twenty").catch(() => {});`;
    const { runId } = await heartbeat(await load(talk(cat, each)), {
      stop: stop.signal,
      onOutput: (stream: string) => Effect.sync(() => void (stream === "system" && stop.abort())),
    } as Partial<RunSupervision>);
    expect(stop.signal.aborted).toBe(true);
    expect(await Effect.runPromise(processes.runIdsAlive())).not.toContain(runId);
  });

  it("and a whole one together are refused", async () => {
    const both = code(
      `const { startError } = await context.runProcess({ ${cat}, stdin: "", onInput: () => {}, timeoutSec: 5, graceSec: 1 });
       return { exitCode: 1, timedOut: false, summary: startError };`,
    );
    expect((await heartbeat(await load(both))).result.summary).toMatch(/either stdin, .* or onInput/);
  });
});

describe("the sessions of an external adapter pass its codec:", () => {
  const codec = (body: string) => ({ members: `sessionCodec: { ${body} },` });
  const usual = codec(`
    deserialize: (raw) => raw && typeof raw.id === "string" ? { id: raw.id, opened: true } : null,
    serialize: ({ id }) => typeof id === "string" ? { id } : null,
    getDisplayId: ({ id }) => "session " + id`);
  const echo =
    "return { exitCode: 0, timedOut: false, resultJson: { runtime: context.runtime }, sessionParams: context.config.said };";
  const runtime = (sessionParams: Readonly<Record<string, unknown>>) => ({
    sessionId: "shown",
    sessionParams,
    sessionDisplayId: "shown",
    taskKey: "t",
  });

  it("stored params are deserialized, returned ones serialized and named", async () => {
    const { result } = await heartbeat(await load(code(echo, usual)), {
      runtime: runtime({ id: "s1" }),
      config: { said: { id: "s2", secret: "not kept" } },
    });
    expect(result.resultJson).toMatchObject({ runtime: { sessionParams: { id: "s1", opened: true } } });
    expect(result).toMatchObject({ sessionParams: { id: "s2" }, sessionDisplayId: "session s2" });
  });

  it("an early session, too", async () => {
    const adapter = await load(code(`await context.onSession({ id: "s3", more: 1 }, null); ${ok}`, usual));
    expect((await heartbeat(adapter)).sessions).toEqual([{ params: { id: "s3" }, displayId: "session s3" }]);
  });

  it("loses values that no database stores", async () => {
    const adapter = await load(code(`await context.onSession({ id: "s\\0" }, null); ${ok}`, usual));
    const [session] = (await heartbeat(adapter)).sessions;
    expect(session).toMatchObject({ params: { id: "s\uFFFD" } });
    expect(JSON.stringify(session)).not.toContain("\\u0000");
  });

  it("invalid stored values become a fresh session", async () => {
    const { result } = await heartbeat(await load(code(echo, usual)), { runtime: runtime({ id: 7 }) });
    expect(result).toMatchObject({
      exitCode: 0,
      resultJson: { runtime: { sessionId: null, sessionParams: null, sessionDisplayId: null } },
    });
  });

  it("without a codec they are stored unchanged", async () => {
    const { result } = await heartbeat(await load(code(echo)), {
      runtime: runtime({ id: 7 }),
      config: { said: { any: "thing" } },
    });
    expect(result).toMatchObject({
      sessionParams: { any: "thing" },
      resultJson: { runtime: { sessionParams: { id: 7 } } },
    });
  });

  it.concurrent.for([
    ["throws", "throw new Error('no')"],
    ["answers with rubbish", "return [1, 2]"],
    ["answers with a text", "return 'session'"],
    ["answers with too much", "return { id: 'x'.repeat(1e6) }"],
    ["ends its process", "process.exit(1)"],
    ["never answers", "return new Promise(() => {})"],
    ["never comes to an end", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)"],
  ])("a codec that %s does no harm", async ([_what, body], { onTestFinished }) => {
    const all = ["deserialize", "serialize", "getDisplayId"].map((name) => `${name}() { ${body}; }`);
    const adapter = await load(code(echo, codec(all.join(","))), {}, processes, onTestFinished);
    const { result, tookMs } = await heartbeat(adapter, {
      runtime: runtime({ id: "s1" }),
      config: { said: { id: "s2" } },
    });
    expect(result).toMatchObject({ exitCode: 0, resultJson: { runtime: { sessionParams: null } } });
    expect(result.sessionParams).toBeUndefined();
    expect(tookMs).toBeLessThan(50_000);
  });
});

describe("a run of an external adapter that is stopped", () => {
  const pidsIn = (file: string) =>
    existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
  const isLiving = (pid: number) => !["Z", "X", null].includes(stateOf(pid));
  const started = (file: string, count: number) =>
    eventually(
      async () => pidsIn(file),
      (found) => found.length === count,
    );
  const top = `import { spawn } from "node:child_process"; import { appendFileSync } from "node:fs";`;
  /** Starts a program that does not receive of a stop, and one that has left the session. */
  const children = `
    const note = (pid) => appendFileSync(context.config.file, pid + "\\n");
    note(process.pid);
    note(spawn("sleep", ["600"], { stdio: "ignore" }).pid);
    note(spawn("setsid", ["sleep", "601"], { stdio: "ignore" }).pid);`;

  it("is dead with all its processes when it has ended, while another run of the adapter continues", async () => {
    const [first, second] = [join(folder, "first.pids"), join(folder, "second.pids")];
    const adapter = await load(
      code(
        `${children}
         await new Promise((done) => context.signal.addEventListener("abort", done));
         return { exitCode: 0, timedOut: false, summary: "stopped politely" };`,
        { top },
      ),
    );
    const [stopFirst, stopSecond] = [new AbortController(), new AbortController()];
    const identities: number[] = [];
    const one = heartbeat(adapter, {
      stop: stopFirst.signal,
      config: { file: first },
      onStarted: ({ name }) => Effect.sync(() => void identities.push(Number(name))),
    });
    const other = heartbeat(adapter, { stop: stopSecond.signal, config: { file: second } });
    const [ofFirst, ofSecond] = [await started(first, 3), await started(second, 3)];
    expect(identities).toEqual([ofFirst[0]]);
    stopFirst.abort();
    const { result } = await one;
    expect(result.summary).toBe("stopped politely");
    expect(ofFirst.filter(isLiving)).toEqual([]);
    expect(ofSecond.filter(isLiving)).toEqual(ofSecond);
    stopSecond.abort();
    await other;
    expect(ofSecond.filter(isLiving)).toEqual([]);
  });

  it("shows the quota that its adapter names, and not only its silence", async () => {
    const silent = (more: string) =>
      code(`await context.runProcess({ command: "sleep", args: ["60"], timeoutSec: 60, graceSec: 1 });
        return { exitCode: null, timedOut: false, errorMessage: "It waits for 429.", ${more} };`);
    const config = { silenceSec: 1 };
    const quota = silent('errorCode: "provider_quota", errorFamily: "provider_quota"');
    expect((await heartbeat(await load(quota), { config })).result).toMatchObject({
      errorCode: "provider_quota",
      errorMessage: "It waits for 429. The program was ended after 1 seconds without output (silenceSec).",
    });
    const transient = silent('errorCode: "transient_upstream", errorFamily: "transient_upstream"');
    expect((await heartbeat(await load(transient), { config })).result).toMatchObject({
      errorCode: "output_silence",
    });
  });

  it("is killed after its grace if it loops endlessly", async () => {
    const file = join(folder, "loop.pids");
    const adapter = await load(code(`${children} for (;;);`, { top }));
    const stop = new AbortController();
    const run = heartbeat(adapter, { stop: stop.signal, config: { file, graceSec: 1 } });
    const pids = await started(file, 3);
    const stoppedAt = performance.now();
    stop.abort();
    const { result } = await run;
    expect(result.errorMessage).toMatch(/stopped/);
    expect(performance.now() - stoppedAt).toBeGreaterThan(900);
    expect(pids.filter(isLiving)).toEqual([]);
  });

  it.concurrent.for([
    ["waits for them without end", "await new Promise(() => {});"],
    ["loops endlessly", "for (;;);"],
    [
      "gives up when it is asked to stop",
      "await new Promise((_done, fail) => context.signal.addEventListener('abort', () => fail(new Error('gave up'))));",
    ],
    [
      "calls that a success",
      `await new Promise((done) => context.signal.addEventListener("abort", done)); ${ok}`,
    ],
    [
      "runs one program after another",
      `for (;;) await context.runProcess({ command: "sleep", args: ["600"], timeoutSec: 600, graceSec: 1 });`,
    ],
  ])(
    "is dead at its time limit and grace, also where it started programs by itself and %s",
    async ([_what, then], { onTestFinished }) => {
      const file = join(folder, `limit-${randomUUID()}.pids`);
      const adapter = await load(code(`${children} ${then}`, { top }), {}, processes, onTestFinished);
      const { result } = await heartbeat(adapter, { config: { file, timeoutSec: 2, graceSec: 1 } });
      expect(result).toMatchObject({
        timedOut: true,
        errorCode: "timeout",
        errorMessage: "The run took longer than its time limit of 2 seconds (timeoutSec).",
      });
      expect(pidsIn(file)).toHaveLength(3);
      expect(pidsIn(file).filter(isLiving)).toEqual([]);
    },
  );

  it("gives what it started by itself no second grace after that of the run", async () => {
    const file = join(folder, `grace-${randomUUID()}`);
    const deaf = `trap 'echo asked >> ${file}.asked' TERM; while :; do sleep 0.05; done`;
    const adapter = await load(
      code(
        `const child = spawn("sh", ["-c", ${JSON.stringify(deaf)}], { stdio: "ignore", detached: true });
         appendFileSync(context.config.file, child.pid + "\\n"); await new Promise(() => {});`,
        { top },
      ),
    );
    const { result } = await heartbeat(adapter, { config: { file, timeoutSec: 2, graceSec: 1 } });
    expect(result).toMatchObject({ timedOut: true, errorCode: "timeout" });
    expect(pidsIn(file).filter(isLiving)).toEqual([]);
    expect(existsSync(`${file}.asked`)).toBe(false);
  });

  it("that ends by itself leaves nothing behind either", async () => {
    const file = join(folder, "left.pids");
    const adapter = await load(code(`${children} ${ok}`, { top }));
    const { result } = await heartbeat(adapter, { config: { file } });
    expect(result.exitCode).toBe(0);
    expect(pidsIn(file).filter(isLiving)).toEqual([]);
  });

  it("runs its programs so that the end of one ends neither the others nor the adapter's process", async () => {
    const adapter = await load(
      code(
        `const run = (seconds) => context.runProcess({ command: "sleep", args: [seconds], timeoutSec: 20, graceSec: 1 });
         const [short, long] = await Promise.all([run("0.2"), run("1.5")]);
         return { exitCode: long.exitCode, timedOut: false, summary: String(short.exitCode) };`,
      ),
    );
    expect((await heartbeat(adapter)).result).toMatchObject({ exitCode: 0, summary: "0" });
  });

  it("runs in the agent's folder, which its config names", async () => {
    const adapter = await load(
      code(
        `const { writeFileSync } = await import("node:fs"); writeFileSync("by-the-run", "x");
         return { exitCode: 0, timedOut: false, resultJson: { cwd: process.cwd(), configured: context.config.cwd } };`,
      ),
    );
    const cwd = mkdtempSync(join(folder, "workspace-"));
    const { result } = await heartbeat(adapter, { cwd });
    expect(result.resultJson).toEqual({ cwd, configured: cwd });
    expect(readdirSync(cwd)).toEqual(["by-the-run"]);
  });
});
