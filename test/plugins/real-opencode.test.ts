import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createServerAdapter } from "../../plugins/adapter-c-local/src/server.ts";
import { createStdoutParser } from "../../plugins/adapter-c-local/src/ui-parser.ts";
import type { PermissionRequest } from "../../ports/agent-adapter.ts";
import { startModelApi } from "../support/model-api/model-api.ts";
import { openaiChat, tokensPerAnswer } from "../support/model-api/openai-chat.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { type AdapterRun, runAdapter, testAdapterEnvironment } from "../support/run-adapter.ts";
import { expectSkillsOnlyFor } from "../support/skills.ts";

// Tests the real command line with the real adapter and runner; only the model is scripted.
vi.setConfig({ testTimeout: 120_000 });

const program = fileURLToPath(new URL("../real-clis/node_modules/.bin/opencode", import.meta.url));

let api: ModelApi;
let folder: string;
let cwd: string;

beforeAll(async () => {
  if (!existsSync(program) || spawnSync(program, ["--version"]).status !== 0)
    throw new Error(
      "The opencode command line is not installed for the tests. Run `node scripts/install-real-clis.mjs`.",
    );
  api = await startModelApi(openaiChat);
  folder = mkdtempSync(join(tmpdir(), "opencode-"));
  cwd = join(folder, "workspace");
  const settings = join(folder, "home", ".config", "opencode");
  for (const path of [cwd, settings]) mkdirSync(path, { recursive: true });
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "Scripted",
    options: { baseURL: `${api.url}/v1`, apiKey: "any" },
    models: { m1: { name: "M1", cost: { input: 1, output: 2 } } },
  };
  writeFileSync(
    join(settings, "opencode.json"),
    JSON.stringify({ provider: { scripted: provider }, autoupdate: false }),
  );
}, 60_000);
afterAll(async () => {
  await api?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  api.forget();
  api.mood("willing");
  api.script([]);
});

const environment = () => ({ PATH: `${dirname(program)}${delimiter}${process.env.PATH}` });
const opencode = ({ config, ...more }: Partial<AdapterRun> = {}) =>
  runAdapter({
    adapter: createServerAdapter(),
    cwd,
    env: environment(),
    config: { model: "scripted/m1", ...config },
    ...more,
  });

const asked = () => JSON.stringify(api.requests.map(({ body }) => body.messages));

describe("the opencode command line", () => {
  it("runs the commands that the model requests, reports session, use, cost and summary, and resumes the session", async () => {
    api.script(
      ["echo task $SERVICE_TASK_ID > seen", "cat seen; echo $SERVICE_RUN_ID"],
      "The word is walnut.",
    );
    const { result } = await opencode({ prompt: "Write the task's id down." });
    expect(result.errorMessage).toBeUndefined();
    expect(result).toMatchObject({
      exitCode: 0,
      timedOut: false,
      summary: "The word is walnut.",
      provider: "scripted",
      model: "scripted/m1",
      usage: {
        inputTokens: 3 * (tokensPerAnswer.input - tokensPerAnswer.cached),
        cachedInputTokens: 3 * tokensPerAnswer.cached,
        outputTokens: 3 * tokensPerAnswer.output,
      },
    });
    expect(result.costUsd).toBeGreaterThan(0);
    expect(result.sessionParams).toEqual({ sessionId: result.sessionDisplayId, cwd });
    expect(readFileSync(join(cwd, "seen"), "utf8")).toBe("task issue-1\n");
    expect(asked()).toContain("Write the task's id down.");

    api.forget();
    api.script([], "It was walnut.");
    const second = await opencode({ prompt: "Which was it?", sessionParams: result.sessionParams ?? null });
    expect(second.result).toMatchObject({ exitCode: 0, sessionDisplayId: result.sessionDisplayId });
    expect(asked()).toContain("The word is walnut.");
  });

  it("asks a person before it runs a command, in the session of runs that need not ask", async () => {
    api.script([], "The word is walnut.");
    const first = await opencode();
    const script = ["echo first > allowed && echo of two", "echo second > refused"];
    const asked: PermissionRequest[] = [];
    api.script(script, "Done.");
    const second = await opencode({
      config: { permissions: "ask" },
      sessionParams: first.result.sessionParams ?? null,
      askPermission: async (request) => {
        asked.push(request);
        expect(existsSync(join(cwd, asked.length === 1 ? "allowed" : "refused"))).toBe(false);
        return asked.length === 1 ? { allow: true } : { allow: false, message: "Not that." };
      },
    });
    expect(asked.map(({ command }) => command)).toEqual(script);
    expect([existsSync(join(cwd, "allowed")), existsSync(join(cwd, "refused"))]).toEqual([true, false]);
    expect(second.system).toContain("refused (ask): Not that.");
    expect(second.result).toMatchObject({
      model: "scripted/m1",
      provider: "scripted",
      sessionParams: first.result.sessionParams,
    });
    const { parseLine } = createStdoutParser();
    const entries = second.stdout.split("\n").flatMap((line) => parseLine(line, "t"));
    expect(entries.filter(({ kind }) => kind === "tool_call")).toHaveLength(2);
    expect(entries.filter(({ kind }) => kind === "stdout")).toEqual([]);
    expect(JSON.stringify(api.requests.map(({ body }) => body.messages))).toContain("The word is walnut.");
  });

  it("that may only edit is refused a command", async () => {
    api.script(["touch made"], "Done.");
    const { system } = await opencode({ config: { permissions: "allow_edits" } });
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(system).toContain("refused (allow_edits)");
  });

  it("starts a new session in the same run if it does not know the old one", async () => {
    const unknown = { sessionId: "ses_000000000000000000000000", cwd };
    api.script([], "Done.");
    const { result, system, specs } = await opencode({ sessionParams: unknown });
    expect(result).toMatchObject({ exitCode: 0, summary: "Done." });
    expect(result.sessionDisplayId).not.toBe(unknown.sessionId);
    expect(system).toContain("unknown");
    expect(specs).toHaveLength(2);
  });

  it("does not read a configuration that an agent left in the workspace", async () => {
    writeFileSync(join(cwd, "opencode.json"), JSON.stringify({ model: "other/none", provider: "broken" }));
    api.script([], "Done.");
    const { result } = await opencode();
    rmSync(join(cwd, "opencode.json"));
    expect(result).toMatchObject({ exitCode: 0, summary: "Done." });
  });

  it.each([
    ["credentials_refused", "sign_in_required"],
    ["refusing", "model_refusal"],
  ] as const)("%s is %s", async (mood, family) => {
    api.mood(mood);
    const { result } = await opencode();
    expect(result).toMatchObject({ errorFamily: family });
  });

  // It retries such requests by itself without output.
  it.each(["silent", "quota"] as const)(
    "is stopped at its time limit if the provider is %s",
    async (mood) => {
      api.mood(mood);
      const { result } = await opencode({ config: { timeoutSec: 10, graceSec: 1 } });
      expect(result).toMatchObject({ timedOut: true, errorCode: "timeout" });
    },
  );
});

describe("skills", () => {
  it("are known to the model in the runs that have them, and in no other", async () => {
    await expectSkillsOnlyFor(folder, api, (skills) => opencode({ skills }));
  });
});

describe("testing the environment", () => {
  it("passes when opencode says hello, and lists the models of its providers", async () => {
    api.script([], "hello");
    const run = { adapter: createServerAdapter(), cwd, env: environment(), config: { model: "scripted/m1" } };
    const report = await testAdapterEnvironment(run);
    expect(report.checks.map(({ code }) => code)).toEqual([
      "adapter_c_cwd_valid",
      "adapter_c_model_configured",
      "adapter_c_headless_permissions_enabled",
      "adapter_c_command_resolvable",
      "adapter_c_models_discovered",
      "adapter_c_hello_probe_passed",
    ]);
    expect(report.status).toBe("pass");
  });
});
