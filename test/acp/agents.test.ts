import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createServerAdapter } from "../../plugins/acp/src/server.ts";
import { createStdoutParser } from "../../plugins/acp/src/ui-parser.ts";
import { type PresetName, presets } from "../../plugins/kit/acp/presets.ts";
import type { PermissionRequest } from "../../ports/agent-adapter.ts";
import { anthropicMessages } from "../support/model-api/anthropic-messages.ts";
import { editBuildAndTest } from "../support/model-api/edit-build-test.ts";
import { geminiGenerate } from "../support/model-api/gemini-generate.ts";
import { type ModelProtocol, startModelApi } from "../support/model-api/model-api.ts";
import { openaiChat } from "../support/model-api/openai-chat.ts";
import { openaiResponses } from "../support/model-api/openai-responses.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { type AdapterRun, runAdapter, testAdapterEnvironment } from "../support/run-adapter.ts";
import { carriersOf } from "../support/run-processes.ts";

// The real programs with the real adapter and runner; only the model is scripted.

interface Agent {
  readonly name: Exclude<PresetName, "custom">;
  readonly protocol: ModelProtocol;
  readonly env: (modelUrl: string, folder: string) => Readonly<Record<string, string>>;
  /** Its settings, by their paths in the home. */
  readonly settings?: Readonly<Record<string, object>>;
  readonly extraArgs?: readonly string[];
  readonly reportsCost: boolean;
  /** A refused tool is told to the model, which goes on; else the turn ends. */
  readonly goesOnAfterRefusal: boolean;
  /** The file of house rules that it reads in the run's folder, and whether it finds skills there; else the prompt tells. */
  readonly reads?: { readonly rules?: string; readonly skills: boolean };
}

const agents: readonly Agent[] = [
  {
    name: "claude",
    protocol: anthropicMessages,
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "any",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ENABLE_TOOL_SEARCH: "false",
    }),
    reportsCost: true,
    reads: { rules: "CLAUDE.md", skills: true },
    goesOnAfterRefusal: true,
  },
  {
    name: "codex",
    protocol: openaiResponses,
    env: (url, folder) => ({
      OPENAI_API_KEY: "any",
      // Its home must not lie below it.
      TMPDIR: join(folder, "tmp"),
      CODEX_CONFIG: JSON.stringify({
        model: "scripted",
        model_provider: "s",
        model_providers: {
          s: { name: "s", base_url: `${url}/v1`, env_key: "OPENAI_API_KEY", wire_api: "responses" },
        },
      }),
    }),
    reportsCost: false,
    reads: { skills: true },
    goesOnAfterRefusal: false,
  },
  {
    name: "opencode",
    protocol: openaiChat,
    env: (url) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        autoupdate: false,
        model: "s/m1",
        small_model: "s/m1",
        provider: {
          s: {
            npm: "@ai-sdk/openai-compatible",
            name: "s",
            options: { baseURL: `${url}/v1`, apiKey: "any" },
            models: {
              m1: {
                name: "M1",
                cost: { input: 500, output: 500 },
                limit: { context: 200_000, output: 8_000 },
              },
            },
          },
        },
      }),
    }),
    reportsCost: true,
    reads: { rules: "AGENTS.md", skills: true },
    goesOnAfterRefusal: false,
  },
  {
    name: "gemini",
    protocol: geminiGenerate,
    env: (url) => ({ GEMINI_API_KEY: "any", GOOGLE_GEMINI_BASE_URL: url }),
    settings: {
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      },
    },
    // Without it the program first asks a model which model to ask.
    extraArgs: ["--model", "gemini-2.5-pro"],
    reportsCost: false,
    reads: { rules: "GEMINI.md", skills: false },
    goesOnAfterRefusal: true,
  },
  {
    name: "qwen",
    protocol: openaiChat,
    env: (url) => ({ OPENAI_API_KEY: "any", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "scripted" }),
    settings: {
      ".qwen/settings.json": {
        security: { auth: { selectedType: "openai" } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
        ui: { enableFollowupSuggestions: false },
      },
    },
    reportsCost: false,
    reads: { rules: "QWEN.md", skills: true },
    goesOnAfterRefusal: false,
  },
  {
    name: "copilot",
    protocol: openaiChat,
    env: (url) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "any",
      COPILOT_MODEL: "scripted",
    }),
    reportsCost: false,
    reads: { rules: ".github/instructions/company.instructions.md", skills: false },
    goesOnAfterRefusal: false,
  },
];

const programs = fileURLToPath(new URL("node_modules/.bin", import.meta.url));

describe.each(agents)("$name over ACP", (agent) => {
  const { name, protocol, env, reportsCost, goesOnAfterRefusal } = agent;
  let api: ModelApi;
  let folder: string;
  let cwd: string;
  beforeEach(async () => {
    api = await startModelApi(protocol);
    folder = mkdtempSync(join(tmpdir(), `acp-${name}-`));
    cwd = join(folder, "workspace");
    for (const path of [cwd, join(folder, "home"), join(folder, "tmp")]) mkdirSync(path);
    for (const [path, settings] of Object.entries(agent.settings ?? {})) {
      mkdirSync(dirname(join(folder, "home", path)), { recursive: true });
      writeFileSync(join(folder, "home", path), JSON.stringify(settings));
    }
  });
  afterEach(async () => {
    await api?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const started = ({ config, ...more }: Partial<AdapterRun> = {}): AdapterRun => ({
    adapter: createServerAdapter(),
    cwd,
    env: { PATH: `${programs}${delimiter}${process.env.PATH}`, ...env(api.url, folder) },
    config: { agent: name, timeoutSec: 120, extraArgs: agent.extraArgs ?? [], ...config },
    ...more,
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
    const first = await runAdapter(started({ messages: [word()] }));
    expect(first.result.errorMessage).toBeUndefined();
    expect(first.receipts.at(-1)).toBe(`taken ${id}`);
    expect(JSON.stringify(api.requests.map(({ body }) => body))).toContain("Use the blue yarn.");
    api.forget();
    api.script([], "I know.");
    const second = await runAdapter(
      started({
        messages: [],
        sessionParams: first.result.sessionParams ?? null,
        messagesAgain: [{ id, text }],
      }),
    );
    expect(second.result).toMatchObject({ exitCode: 0, sessionDisplayId: first.result.sessionDisplayId });
    const asked = JSON.stringify(
      api.requests.find(({ body }) => JSON.stringify(body).includes("blue yarn"))?.body,
    );
    expect(asked.split("Use the blue yarn.")).toHaveLength(2);
  });

  it("ends its turn at an interrupt, and continues its session at the next wake", async () => {
    const begun = join(cwd, "begun");
    api.script([`touch ${begun}; sleep 614`], "Done.");
    const word = async () => {
      await vi.waitFor(() => expect(existsSync(begun)).toBe(true), { timeout: 60_000 });
      return { kind: "interrupt" } as const;
    };
    const { result } = await runAdapter(started({ prompt: "Wait for the tide.", messages: [word()] }));
    expect(result).toMatchObject({ timedOut: false, sessionParams: { agent: name } });
    api.forget();
    api.script([], "I know.");
    const next = await runAdapter(started({ sessionParams: result.sessionParams ?? null }));
    expect(next.result).toMatchObject({ exitCode: 0, sessionDisplayId: result.sessionDisplayId });
    expect(JSON.stringify(api.requests.map(({ body }) => body))).toContain("Wait for the tide.");
  });

  it("runs the model's commands, reports its words, use and session, and continues that at the next wake", async () => {
    api.script(["echo task $SERVICE_TASK_ID > seen", "cat seen"], "The word is walnut.");
    const first = await runAdapter(started({ prompt: "Write the task's id down." }));
    expect(first.result).toMatchObject({
      exitCode: 0,
      timedOut: false,
      summary: expect.stringContaining("The word is walnut."),
      sessionParams: { agent: name, cwd, sessionId: first.result.sessionDisplayId },
    });
    expect(first.result.errorMessage).toBeUndefined();
    expect(first.result.usage?.outputTokens).toBeGreaterThan(0);
    expect(readFileSync(join(cwd, "seen"), "utf8")).toBe("task issue-1\n");
    expect(JSON.stringify(api.requests)).toContain("Write the task's id down.");
    const cost = first.result.costUsd ?? null;
    if (reportsCost) expect(cost).toBeGreaterThan(0);
    else expect(cost).toBeNull();

    const parser = createStdoutParser();
    const entries = first.stdout.split("\n").flatMap((line) => parser.parseLine(line, "t"));
    expect(entries).toContainEqual(
      expect.objectContaining({ kind: "assistant", text: "The word is walnut." }),
    );
    expect(entries.filter(({ kind }) => kind === "tool_call")).toHaveLength(2);
    expect(entries.filter(({ kind }) => kind === "tool_result")).toHaveLength(2);
    expect(entries.filter(({ kind }) => kind === "stdout")).toEqual([]);

    api.forget();
    api.script([], "It was walnut.");
    const sessionParams = first.result.sessionParams ?? null;
    const second = await runAdapter(started({ prompt: "Which was it?", sessionParams }));
    expect(second.result).toMatchObject({ exitCode: 0, sessionDisplayId: first.result.sessionDisplayId });
    expect(JSON.stringify(api.requests)).toContain("The word is walnut.");
    expect(second.result.summary).not.toContain("The word is walnut.");
    // Each run has its share of what the session has cost. Claude asks more after its answer, which the next run finds.
    if (cost !== null)
      expect(cost + second.result.costUsd!).toBeCloseTo(second.result.sessionParams?.cost as number, 9);
  });

  // codex asks only for what its model wants to do outside of its own sandbox.
  it.skipIf(name === "codex")("asks a person, who sees the whole command, before it runs that", async () => {
    const script = ["echo first > first && echo of two", "echo second > second"];
    api.script(script, "Done.");
    const asked: PermissionRequest[] = [];
    const { system } = await runAdapter(
      started({
        config: { permissions: "ask" },
        askPermission: async (request) => {
          asked.push(request);
          expect(existsSync(join(cwd, asked.length === 1 ? "first" : "second"))).toBe(false);
          return asked.length === 1 ? { allow: true } : { allow: false, message: "Not that." };
        },
      }),
    );
    // gemini tells a command in the title alone, qwen and copilot their whole input.
    const shown = asked.map(({ title, command }) => command ?? title);
    expect(shown).toEqual(script.map((command) => expect.stringContaining(command)));
    expect([existsSync(join(cwd, "first")), existsSync(join(cwd, "second"))]).toEqual([true, false]);
    expect(system).toContain("allowed (by a person)");
    expect(system).toContain("refused (ask): Not that.");
  });

  it("starts a new session where it does not know the old one", async () => {
    const unknown = {
      sessionId: "0b8e1f5e-3a5c-4a57-9d1f-000000000000",
      cwd,
      agent: name,
      command: presets[name].command,
      createdAt: "2026-01-01T00:00:00.000Z",
      cost: null,
    };
    api.script([], "Done.");
    const { result, system } = await runAdapter(started({ sessionParams: unknown }));
    expect(result).toMatchObject({ exitCode: 0, summary: "Done." });
    expect(result.sessionDisplayId).not.toBe(unknown.sessionId);
    expect(system).toContain("cannot be continued");
  });

  it("uses no tool that is denied", async () => {
    api.script(["touch made"], "Then not.");
    const escalated = name === "codex";
    const { result, system } = await runAdapter(started({ config: { permissions: "deny" } }));
    // codex asks only for what its model escalates; its own sandbox confines the rest.
    if (!escalated) {
      expect(existsSync(join(cwd, "made"))).toBe(false);
      expect(system).toContain("refused (deny)");
    }
    if (goesOnAfterRefusal) expect(result).toMatchObject({ exitCode: 0, summary: "Then not." });
  });

  it("is stopped with all that it started", async () => {
    api.script(["touch made; sleep 300"], "Never.");
    const stop = new AbortController();
    const run = runAdapter(started({ signal: stop.signal }));
    await expect.poll(() => existsSync(join(cwd, "made"))).toBe(true);
    stop.abort();
    const { result, runId } = await run;
    expect(result).toMatchObject({ errorCode: "cancelled", sessionParams: { agent: name } });
    expect(carriersOf([runId])).toEqual([]);
  });

  it("edits, builds and tests inside its workspace without a question under its usual permissions", async () => {
    const asked: PermissionRequest[] = [];
    api.script(editBuildAndTest, "All is built.");
    const { result } = await runAdapter(
      started({
        askPermission: async (request) => {
          asked.push(request);
          return { allow: false, message: "Nobody is here." };
        },
      }),
    );
    expect(result).toMatchObject({ exitCode: 0, summary: expect.stringContaining("All is built.") });
    expect(asked).toEqual([]);
    expect(readFileSync(join(cwd, "report"), "utf8")).toBe("2 tests passed\n");
  });

  it("gets the house rules and its skills outside of its home and workspace, by its own names where it has them", async () => {
    const source = join(folder, "offered", "knots");
    mkdirSync(source, { recursive: true });
    const description = "How to tie a bowline.";
    writeFileSync(
      join(source, "SKILL.md"),
      `---\nname: knots\ndescription: ${description}\n---\n\nTie it.\n`,
    );
    const files = join(folder, "files");
    const tell = async (skills: boolean, env: Readonly<Record<string, string>> = {}) => {
      api.forget();
      api.script([], "Done.");
      const given = started();
      const { result, specs } = await runAdapter({
        ...given,
        env: { ...given.env, ...env },
        houseRules: "Give distances in knots of rope.",
        ...(skills
          ? { skills: { folder: files, wanted: [{ key: "knots", path: source, description }] } }
          : {}),
      });
      expect(result).toMatchObject({ exitCode: 0, summary: "Done." });
      const asked = JSON.stringify(api.requests.map(({ body }) => body));
      expect(asked).toContain("Give distances in knots of rope.");
      return { asked, laidOut: specs[0]!.files?.map(({ path }) => path) ?? [] };
    };
    const { asked, laidOut } = await tell(true);
    expect(asked).toContain(description);
    const tellsRules = agent.reads?.rules === undefined;
    expect(asked.includes("instructions of your company")).toBe(tellsRules);
    expect(asked.includes("In addition to those you know of")).toBe(agent.reads?.skills !== true);
    if (agent.reads?.rules !== undefined) expect(laidOut).toContain(join(files, agent.reads.rules));
    expect(readdirSync(cwd)).toEqual([]);

    const { asked: withoutSkills } = await tell(false);
    expect(withoutSkills.includes("instructions of your company")).toBe(tellsRules);

    // A variable of the agent's own env is in the place of ours.
    const own = {
      gemini: "GEMINI_CLI_TRUST_WORKSPACE",
      qwen: "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
      copilot: "COPILOT_CUSTOM_INSTRUCTIONS_DIRS",
    }[name as string];
    if (own !== undefined)
      expect((await tell(false, { [own]: join(folder, "tmp", "own") })).asked).toContain(
        "instructions of your company",
      );
  });

  it("passes the test of its environment", async () => {
    api.script([], "hello");
    const report = await testAdapterEnvironment(started());
    expect(report.checks.map(({ level, code }) => [level, code])).toEqual([
      ["info", "acp_cwd_valid"],
      ["info", "acp_command_resolvable"],
      ["info", "acp_session_opened"],
      ["info", "acp_hello_probe_passed"],
    ]);
  });

  it("says that a sign-in is missing, and how to get one", async () => {
    rmSync(join(folder, "home"), { recursive: true });
    mkdirSync(join(folder, "home"));
    const nobody = { PATH: `${programs}${delimiter}${process.env.PATH}`, TMPDIR: join(folder, "tmp") };
    const { result } = await runAdapter(started({ env: nobody, config: { timeoutSec: 240, graceSec: 1 } }));
    // opencode then takes a free model of its maker, which is not reached here.
    if (name === "opencode") return expect(result.errorMessage).toContain("Cannot connect to API");
    expect(result).toMatchObject({ errorFamily: "sign_in_required" });
    expect(result.errorMessage).toContain(presets[name].signInHint);
  });

  it("has a refused sign-in recognised", async () => {
    api.mood("credentials_refused");
    const { result } = await runAdapter(started({ config: { timeoutSec: 60, graceSec: 1 } }));
    // claude repeats such requests in silence for longer.
    if (result.timedOut) expect(name).toBe("claude");
    else expect(result).toMatchObject({ errorFamily: "sign_in_required" });
  });
});
