import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createServerAdapter } from "../../plugins/adapter-b-local/src/server.ts";
import { createStdoutParser } from "../../plugins/adapter-b-local/src/ui-parser.ts";
import type { PermissionAnswer, PermissionRequest } from "../../ports/agent-adapter.ts";
import { startModelApi } from "../support/model-api/model-api.ts";
import { openaiResponses, tokensPerAnswer, windowResetsAt } from "../support/model-api/openai-responses.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { type AdapterRun, runAdapter, testAdapterEnvironment } from "../support/run-adapter.ts";
import { expectSkillsOnlyFor } from "../support/skills.ts";

// Tests the real command line with the real adapter and runner; only the model is scripted.
vi.setConfig({ testTimeout: 120_000 });

const program = fileURLToPath(new URL("../real-clis/node_modules/.bin/codex", import.meta.url));

let api: ModelApi;
let folder: string;
let cwd: string;

beforeAll(async () => {
  if (!existsSync(program) || spawnSync(program, ["--version"]).status !== 0)
    throw new Error(
      "The codex command line is not installed for the tests. Run `node scripts/install-real-clis.mjs`.",
    );
  api = await startModelApi(openaiResponses);
  folder = mkdtempSync(join(tmpdir(), "codex-"));
  cwd = join(folder, "workspace");
  for (const name of ["workspace", "home", "codex"]) mkdirSync(join(folder, name));
  writeFileSync(
    join(folder, "codex", "config.toml"),
    `model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${api.url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`,
  );
});
afterAll(async () => {
  await api?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  api.forget();
  api.mood("willing");
  api.script([]);
});

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  PATH: `${dirname(program)}${delimiter}${process.env.PATH}`,
  CODEX_HOME: join(folder, "codex"),
  OPENAI_API_KEY: "any",
  ...more,
});

const codex = ({ env, ...more }: Partial<AdapterRun> = {}) =>
  runAdapter({ adapter: createServerAdapter(), cwd, env: environment(env), ...more });

const asked = () => JSON.stringify(api.requests.map(({ body }) => body.input));

describe("the codex command line", () => {
  it("runs the commands that the model requests, and reports session, use and summary", async () => {
    api.script(["echo task $SERVICE_TASK_ID > seen", "cat seen; echo $SERVICE_RUN_ID"], "All is done.");
    const { result } = await codex({ prompt: "Write the task's id down." });
    expect(result.errorMessage).toBeUndefined();
    expect(result).toMatchObject({
      exitCode: 0,
      timedOut: false,
      summary: "All is done.",
      provider: "openai",
      billingType: "metered_api",
      usage: {
        inputTokens: 3 * (tokensPerAnswer.input - tokensPerAnswer.cached),
        cachedInputTokens: 3 * tokensPerAnswer.cached,
        outputTokens: 3 * tokensPerAnswer.output,
      },
    });
    expect(result.costUsd).toBeUndefined();
    expect(result.sessionParams).toEqual({
      sessionId: result.sessionDisplayId,
      cwd,
      counted: result.usage,
    });
    expect(readFileSync(join(cwd, "seen"), "utf8")).toBe("task issue-1\n");
    expect(asked()).toContain("Write the task's id down.");
  });

  it("works in its workspace without a question, and asks a person before a command leaves it", async () => {
    const outside = (name: string) => ({
      tool: "exec_command",
      args: {
        cmd: `touch ${join(folder, name)}`,
        sandbox_permissions: "require_escalated",
        justification: "It is elsewhere.",
      },
    });
    api.script(["echo in > made-inside", outside("allowed"), outside("refused")], "All is done.");
    const asked: PermissionRequest[] = [];
    const run = {
      config: { permissions: "ask" },
      // It starts no sandbox where its home is below the folder of temporary files.
      env: { TMPDIR: cwd },
      askPermission: async (request: PermissionRequest): Promise<PermissionAnswer> => {
        asked.push(request);
        const isFirst = asked.length === 1;
        expect(existsSync(join(folder, isFirst ? "allowed" : "refused"))).toBe(false);
        return isFirst ? { allow: true } : { allow: false, message: "No answer in time." };
      },
    };
    const { result, system, stdout, windows } = await codex({ prompt: "Make files.", ...run });
    expect(windows.at(-1)).toEqual({
      name: "five_hour",
      usedPercent: 42,
      windowMinutes: 300,
      resetsAt: new Date(windowResetsAt * 1000).toISOString(),
    });
    expect(result.errorMessage).toBeUndefined();
    expect(result).toMatchObject({
      exitCode: 0,
      summary: "All is done.",
      usage: { outputTokens: 4 * tokensPerAnswer.output },
      sessionParams: { cwd, counted: result.usage },
    });
    expect(asked).toMatchObject([
      { tool: "command", command: expect.stringContaining("/allowed"), reason: "It is elsewhere." },
      { tool: "command", command: expect.stringContaining("/refused") },
    ]);
    expect(["allowed", "refused"].map((name) => existsSync(join(folder, name)))).toEqual([true, false]);
    expect(existsSync(join(cwd, "made-inside"))).toBe(true);
    expect(system).toContain("allowed (by a person)");
    expect(system).toContain("refused (ask): No answer in time.");
    const { parseLine } = createStdoutParser();
    const entries = stdout.split("\n").flatMap((line) => parseLine(line, "t"));
    expect(entries.filter(({ kind }) => kind === "tool_call")).toHaveLength(3);
    expect(entries.filter(({ kind }) => kind === "tool_result")).toHaveLength(3);
    expect(entries).toContainEqual({ kind: "assistant", ts: "t", text: "All is done." });
    expect(entries.filter(({ kind }) => kind === "stdout")).toEqual([]);

    api.forget();
    api.script([], "Three files.");
    const sessionParams = result.sessionParams ?? null;
    const second = await codex({ prompt: "How many?", sessionParams, ...run });
    expect(second.result).toMatchObject({
      sessionDisplayId: result.sessionDisplayId,
      summary: "Three files.",
      usage: { outputTokens: tokensPerAnswer.output },
    });
    expect(asked).toHaveLength(2);
  });

  it("takes in a message in its turn, and knows it at the next wake without a second time", async () => {
    const id = "01234567-89ab-7cde-8f01-23456789abcd";
    const text = "Ada says:\n\nUse the blue yarn.";
    const [begun, go] = [join(cwd, "begun"), join(cwd, "go")];
    api.script([`touch ${begun}; while [ ! -e ${go} ]; do sleep 0.1; done`], "The word is walnut.");
    const word = async () => {
      await vi.waitFor(() => expect(existsSync(begun)).toBe(true), { timeout: 60_000 });
      setImmediate(() => writeFileSync(go, ""));
      return { kind: "message", id, text } as const;
    };
    const asks = { config: { permissions: "ask" }, env: { TMPDIR: cwd } };
    const first = await codex({ messages: [word()], ...asks });
    expect(first.result).toMatchObject({ exitCode: 0, summary: "The word is walnut." });
    expect(first.receipts.at(-1)).toBe(`taken ${id}`);
    expect(asked()).toContain("Use the blue yarn.");
    api.forget();
    api.script([], "I know.");
    const sessionParams = first.result.sessionParams ?? null;
    const second = await codex({ sessionParams, messagesAgain: [{ id, text }], ...asks });
    expect(second.result).toMatchObject({ exitCode: 0, sessionDisplayId: first.result.sessionDisplayId });
    expect(asked().split("Use the blue yarn.")).toHaveLength(2);
    const missed = { id: "11234567-89ab-7cde-8f01-23456789abcd", text: "Ada says:\n\nAnd the red one." };
    await codex({ sessionParams, messagesAgain: [missed], ...asks });
    expect(asked()).toContain("And the red one.");
  });

  it("ends its turn at an interrupt, and continues its session at the next wake", async () => {
    const begun = join(cwd, "begun");
    // Of a first try.
    rmSync(begun, { force: true });
    api.script([`touch ${begun}; sleep 614`], "Done.");
    const word = async () => {
      await vi.waitFor(() => expect(existsSync(begun)).toBe(true), { timeout: 60_000 });
      return { kind: "interrupt" } as const;
    };
    const asks = { config: { permissions: "ask" }, env: { TMPDIR: cwd } };
    const { result } = await codex({ prompt: "Wait for the tide.", messages: [word()], ...asks });
    expect(result).toMatchObject({ timedOut: false, sessionDisplayId: expect.any(String) });
    api.forget();
    api.script([], "I know.");
    const next = await codex({ sessionParams: result.sessionParams ?? null, ...asks });
    expect(next.result).toMatchObject({ exitCode: 0, sessionDisplayId: result.sessionDisplayId });
    expect(asked()).toContain("Wait for the tide.");
  });

  it("that may only edit is refused a command beyond its workspace, and continues", async () => {
    const file = join(folder, "not-made");
    const args = { cmd: `touch ${file}`, sandbox_permissions: "require_escalated", justification: "x" };
    api.script([{ tool: "exec_command", args }], "Then not.");
    const { result, system } = await codex({ config: { permissions: "allow_edits" } });
    expect(result).toMatchObject({ exitCode: 0, summary: "Then not." });
    expect(existsSync(file)).toBe(false);
    expect(system).toContain("refused (allow_edits)");
  });

  it.each([
    ["in its turn", {}],
    ["where a person may speak to it", { words: [] }],
  ])("that cannot reach an MCP server fails with its name, %s", async (_, more) => {
    const { result } = await codex({
      mcpServers: [{ name: "tickets", url: "http://127.0.0.1:1/mcp", headers: {} }],
      ...more,
    });
    expect(result).toMatchObject({ exitCode: 1, errorMessage: expect.stringContaining("tickets") });
  });

  it("starts a new session where it is to ask and does not know the old one", async () => {
    api.script([], "Done.");
    const sessionParams = { sessionId: "0b8e1f5e-3a5c-4a57-9d1f-000000000000", cwd };
    const { result, system } = await codex({ config: { permissions: "ask" }, sessionParams });
    expect(result).toMatchObject({ exitCode: 0, summary: "Done." });
    expect(system).toContain("is unknown to codex");
  });

  it("resumes the session of the last run, and counts only the use of this run", async () => {
    api.script([], "The word is walnut.");
    const first = await codex({ prompt: "Think of a word." });
    api.forget();
    const second = await codex({
      prompt: "Which was it?",
      sessionParams: first.result.sessionParams ?? null,
    });
    expect(second.result).toMatchObject({
      exitCode: 0,
      sessionDisplayId: first.result.sessionDisplayId,
      usage: first.result.usage,
    });
    expect(asked()).toContain("Think of a word.");
    expect(asked()).toContain("The word is walnut.");
  });

  it("starts a new session in the same run if it does not know the old one", async () => {
    const unknown = { sessionId: "0b8e1f5e-3a5c-4a57-9d1f-000000000000", cwd };
    api.script([], "Done.");
    const { result, system, specs } = await codex({ sessionParams: unknown });
    expect(result).toMatchObject({ exitCode: 0, summary: "Done." });
    expect(result.errorMessage).toBeUndefined();
    expect(result.sessionDisplayId).not.toBe(unknown.sessionId);
    expect(system).toContain("unknown");
    expect(specs).toHaveLength(2);
  });

  it("gets its instructions, model and effort", async () => {
    const file = join(folder, "instructions.md");
    writeFileSync(file, "Speak like a lighthouse keeper.");
    await codex({ config: { instructionsFilePath: file, model: "another", modelReasoningEffort: "high" } });
    expect(asked()).toContain("lighthouse keeper");
    expect(api.requests[0]?.body.model).toBe("another");
  });

  it("is stopped at its time limit if the model never answers", async () => {
    api.mood("silent");
    const { result } = await codex({ config: { timeoutSec: 3, graceSec: 1 } });
    expect(result).toMatchObject({ timedOut: true, errorCode: "timeout" });
  });
});

describe("skills", () => {
  it("are known to the model in the runs that have them, and in no other", async () => {
    await expectSkillsOnlyFor(folder, api, (skills) => codex({ skills }));
  });

  it("are in a folder that it reads where it is to ask, and not in its prompt", async () => {
    await expectSkillsOnlyFor(folder, api, (skills) =>
      codex({ skills, config: { permissions: "ask" }, env: { TMPDIR: cwd } }),
    );
    expect(asked()).not.toContain("In addition to those you know of");
  });
});

describe("when the provider refuses", () => {
  it("a used-up limit is reported with its reset time", async () => {
    const resetsAt = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 7_200_000);
    api.mood("quota", resetsAt);
    const { result } = await codex();
    expect(result).toMatchObject({
      errorFamily: "provider_quota",
      retryNotBefore: resetsAt.toISOString(),
    });
  });

  it.each([
    ["overloaded", "transient_upstream", /503/],
    ["credentials_refused", "sign_in_required", /codex login.*OPENAI_API_KEY/],
  ] as const)("%s is %s", async (mood, family, sentence) => {
    api.mood(mood);
    const { result } = await codex();
    expect(result).toMatchObject({ errorFamily: family });
    expect(result.errorMessage).toMatch(sentence);
  });

  it("a missing key is reported with a hint", async () => {
    const { result } = await codex({ env: { OPENAI_API_KEY: "" } });
    expect(result).toMatchObject({ errorFamily: "sign_in_required" });
  });
});

describe("testing the environment", () => {
  it("passes when codex says hello", async () => {
    api.script([], "hello");
    const report = await testAdapterEnvironment({
      adapter: createServerAdapter(),
      cwd,
      env: environment(),
    });
    expect(report.checks.map(({ code }) => code)).toEqual([
      "adapter_b_cwd_valid",
      "adapter_b_openai_api_key_present",
      "adapter_b_git_repo_check_skipped",
      "adapter_b_command_resolvable",
      "adapter_b_hello_probe_passed",
    ]);
    expect(report.status).toBe("pass");
  });
});
