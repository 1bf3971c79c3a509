import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { processTable } from "../../adapters-infra/local/process-table.ts";
import { createServerAdapter } from "../../plugins/adapter-a-local/src/server.ts";
import { parseStdoutLine } from "../../plugins/adapter-a-local/src/ui-parser.ts";
import { anthropicMessages, tokensPerAnswer } from "../support/model-api/anthropic-messages.ts";
import { startModelApi } from "../support/model-api/model-api.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { type AdapterRun, runAdapter, testAdapterEnvironment } from "../support/run-adapter.ts";
import { expectSkillsOnlyFor } from "../support/skills.ts";

// Tests the real command line with the real adapter and runner; only the model is scripted.
vi.setConfig({ testTimeout: 120_000 });

const program = fileURLToPath(new URL("../real-clis/node_modules/.bin/claude", import.meta.url));

let api: ModelApi;
let folder: string;
let cwd: string;

beforeAll(async () => {
  if (!existsSync(program) || spawnSync(program, ["--version"]).status !== 0) {
    throw new Error(
      "The claude command line is not installed for the tests. Run `node scripts/install-real-clis.mjs`.",
    );
  }
  api = await startModelApi(anthropicMessages);
  folder = mkdtempSync(join(tmpdir(), "claude-"));
  cwd = join(folder, "workspace");
  mkdirSync(cwd);
  mkdirSync(join(folder, "home"));
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
  ANTHROPIC_BASE_URL: api.url,
  ANTHROPIC_API_KEY: "any",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  ...more,
});

const claude = (more: Partial<AdapterRun> = {}) => {
  const { env, ...rest } = more;
  return runAdapter({ adapter: createServerAdapter(), cwd, env: environment(env), ...rest });
};

const promptsAsked = () => JSON.stringify(api.requests.map(({ body }) => body.messages));

describe("the claude command line", () => {
  it.each([
    ["allow", true],
    ["allow_edits", false],
    ["deny", false],
  ] as const)("with permissions %s runs a command that is no file work: %s", async (permissions, runs) => {
    const file = join(cwd, `made-with-${permissions}`);
    api.script([`node -e 'require("fs").writeFileSync("${file}", "")'`], "Done.");
    const { result } = await claude({
      config: { permissions },
      askPermission: () => Promise.reject(new Error("Asked.")),
    });
    expect(result).toMatchObject({ exitCode: 0, summary: "Done." });
    expect(existsSync(file)).toBe(runs);
  });

  it("asks a person before it runs a command, and tells the model a no with its reason", async () => {
    const script = ["echo first > first", "echo second > second"];
    api.script(script, "Done.");
    const asked: unknown[] = [];
    const { result, system } = await claude({
      config: { permissions: "ask" },
      askPermission: async (request) => {
        asked.push(request);
        // Nothing has run before the answer.
        expect(existsSync(join(cwd, asked.length === 1 ? "first" : "second"))).toBe(false);
        return asked.length === 1 ? { allow: true } : { allow: false, message: "Not the second one." };
      },
    });
    expect(result).toMatchObject({ exitCode: 0, summary: "Done." });
    expect(asked).toMatchObject(script.map((command) => ({ tool: "Bash", command })));
    expect([existsSync(join(cwd, "first")), existsSync(join(cwd, "second"))]).toEqual([true, false]);
    expect(promptsAsked()).toContain("Not the second one.");
    expect(system).toContain("allowed (by a person)");
  });

  it("takes in what a person says in its turn, once, and knows it in its next run", async () => {
    const id = "01234567-89ab-7cde-8f01-23456789abcd";
    const text = "Ada says:\n\nUse the blue yarn.";
    const [begun, go] = [join(cwd, "begun"), join(cwd, "go")];
    api.script([`touch ${begun}; while [ ! -e ${go} ]; do sleep 0.1; done`], "Done.");
    const word = async () => {
      await vi.waitFor(() => expect(existsSync(begun)).toBe(true), { timeout: 60_000 });
      setImmediate(() => writeFileSync(go, ""));
      return { kind: "message", id, text } as const;
    };
    const first = await claude({ messages: [word()] });
    expect(first.result).toMatchObject({ exitCode: 0, summary: "Done." });
    expect(first.receipts).toEqual([`taken ${id}`]);
    expect(promptsAsked()).toContain("Use the blue yarn.");
    api.forget();
    const second = await claude({
      messages: [],
      sessionParams: first.result.sessionParams ?? null,
      messagesAgain: [{ id, text }],
    });
    expect(second.result).toMatchObject({ exitCode: 0, summary: "Done." });
    const [asked] = api.requests.slice(-1);
    expect(JSON.stringify(asked?.body.messages).split("Use the blue yarn.")).toHaveLength(2);
    // The text of one that was in a prompt is found, too.
    api.forget();
    const third = await claude({
      messages: [],
      sessionParams: first.result.sessionParams ?? null,
      messagesAgain: [{ id: "21234567-89ab-7cde-8f01-23456789abcd", text }],
    });
    expect(third.result).toMatchObject({ exitCode: 0 });
    const [again] = api.requests.slice(-1);
    expect(JSON.stringify(again?.body.messages).split("Use the blue yarn.")).toHaveLength(2);
  });

  it("takes a message during its last answer as a turn of its own in the same run", async () => {
    const id = "11234567-89ab-7cde-8f01-23456789abcd";
    let release = () => {};
    api.hold(
      new Promise<void>((resolve) => {
        release = resolve;
      }),
    );
    api.script([], "First.");
    const word = async () => {
      await vi.waitFor(() => expect(api.requests).toHaveLength(1), { timeout: 60_000 });
      setImmediate(release);
      return { kind: "message", id, text: "And the hem." } as const;
    };
    const { result, receipts, stdout } = await claude({ messages: [word()] });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(receipts.at(-1)).toBe(`taken ${id}`);
    expect(promptsAsked()).toContain("And the hem.");
    expect(stdout).toContain('"type":"result"');
  });

  it("is interrupted in a command, and continues its session in the next run", async () => {
    const begun = join(cwd, "begun-to-wait");
    api.script([`touch ${begun}; sleep 613`], "Done.");
    const word = async () => {
      await vi.waitFor(() => expect(existsSync(begun)).toBe(true), { timeout: 60_000 });
      return { kind: "interrupt" } as const;
    };
    const { result } = await claude({ prompt: "Wait for the tide.", messages: [word()] });
    expect(result.sessionParams).toEqual({ sessionId: expect.any(String), cwd });
    api.forget();
    api.script([], "I know.");
    const next = await claude({ messages: [], sessionParams: result.sessionParams ?? null });
    expect(next.result).toMatchObject({ exitCode: 0, sessionDisplayId: result.sessionDisplayId });
    expect(promptsAsked()).toContain("Wait for the tide.");
  });

  it("runs the commands that the model requests, and reports session, use, cost and summary", async () => {
    api.script(["echo task $SERVICE_TASK_ID > seen", "cat seen; echo $SERVICE_RUN_ID"], "All is done.");
    const { result, stdout } = await claude({ prompt: "Write the task's id down." });
    expect(result.errorMessage).toBeUndefined();
    expect(result).toMatchObject({
      exitCode: 0,
      timedOut: false,
      summary: "All is done.",
      provider: "anthropic",
      billingType: "metered_api",
      usage: {
        inputTokens: 3 * (tokensPerAnswer.input + tokensPerAnswer.cacheCreation),
        cachedInputTokens: 3 * tokensPerAnswer.cacheRead,
        outputTokens: 3 * tokensPerAnswer.output,
      },
    });
    expect(result.costUsd).toBeGreaterThan(0);
    expect(result.model).toMatch(/^claude-/);
    expect(result.sessionParams).toEqual({ sessionId: result.sessionDisplayId, cwd });
    expect(readFileSync(join(cwd, "seen"), "utf8")).toBe("task issue-1\n");
    expect(stdout).toContain('"type":"result"');
    expect(promptsAsked()).toContain("Write the task's id down.");
    // An argument "-" would become part of the prompt.
    expect(promptsAsked()).not.toContain("-\\nWrite");
  });

  const subAgent = (prompt: string, more: object = {}) => ({
    tool: "Agent",
    args: { description: "Look", prompt, subagent_type: "general-purpose", ...more },
  });

  it("shows the calls of a sub-agent under the call that started it", async () => {
    const prompt = "Count the bollards.";
    api.script([subAgent(prompt)], "There are nine.", [
      { prompt, commands: ["echo nine > bollards"], closing: "Nine bollards." },
    ]);
    const { result, stdout } = await claude();
    expect(result).toMatchObject({ exitCode: 0, summary: "There are nine." });
    expect(readFileSync(join(cwd, "bollards"), "utf8")).toBe("nine\n");
    const entries = stdout.split("\n").flatMap((line) => parseStdoutLine(line, "t"));
    const call = entries.find((entry) => entry.kind === "tool_call" && entry.name === "Agent");
    const nested = entries.filter(({ parentToolUseId }) => parentToolUseId !== undefined);
    expect(nested).toContainEqual(expect.objectContaining({ kind: "tool_call", name: "Bash" }));
    expect(new Set(nested.map(({ parentToolUseId }) => parentToolUseId))).toEqual(
      new Set([(call as { toolUseId?: string }).toolUseId]),
    );
  });

  it("works on after its first result while a sub-agent works in the background", async () => {
    const prompt = "Measure the basin.";
    const file = join(cwd, "measured");
    api.script([subAgent(prompt, { run_in_background: true })], "The work goes on.", [
      { prompt, commands: [`sleep 8; touch ${file}`], closing: "Forty metres." },
      { prompt: "<task-notification>", commands: [], closing: "The basin has forty metres." },
    ]);
    const { result, stdout } = await claude();
    expect(result).toMatchObject({ exitCode: 0, summary: "The basin has forty metres." });
    expect(stdout).toContain('"subtype":"task_started"');
    // Its end, and not the first result, ends the run.
    expect(existsSync(file)).toBe(true);
    expect(stdout.lastIndexOf('"type":"result"')).toBeGreaterThan(
      stdout.indexOf('"subtype":"task_notification"'),
    );
  });

  it("resumes the session of the last run", async () => {
    api.script([], "The word is walnut.");
    const first = await claude({ prompt: "Think of a word." });
    api.forget();
    const second = await claude({
      prompt: "Which was it?",
      sessionParams: first.result.sessionParams ?? null,
    });
    expect(second.result).toMatchObject({ exitCode: 0, sessionDisplayId: first.result.sessionDisplayId });
    expect(promptsAsked()).toContain("Think of a word.");
    expect(promptsAsked()).toContain("The word is walnut.");
  });

  it("starts a new session in the same run if it does not know the old one", async () => {
    const unknown = { sessionId: "0b8e1f5e-3a5c-4a57-9d1f-000000000000", cwd };
    const { result, system, specs } = await claude({ sessionParams: unknown });
    expect(result).toMatchObject({ exitCode: 0, summary: "Done." });
    expect(result.errorMessage).toBeUndefined();
    expect(result.sessionDisplayId).not.toBe(unknown.sessionId);
    expect(system).toContain("unknown");
    expect(specs).toHaveLength(2);
  });

  it("reads the instructions file on resumed sessions too", async () => {
    const file = join(folder, "instructions.md");
    writeFileSync(file, "Speak like a lighthouse keeper.");
    const config = { instructionsFilePath: file };
    const first = await claude({ config });
    api.forget();
    await claude({ config, sessionParams: first.result.sessionParams ?? null });
    expect(JSON.stringify(api.requests.map(({ body }) => body.system))).toContain("lighthouse keeper");
  });

  it("passes model and turns on, and reports that it has run out of turns", async () => {
    api.script(["true", "true", "true"]);
    const { result } = await claude({ config: { model: "claude-haiku-4-5", maxTurnsPerRun: 1 } });
    expect(api.requests[0]?.body.model).toMatch(/^claude-haiku-4-5/);
    expect(result).toMatchObject({ errorCode: "max_turns_exhausted", clearSession: true });
    expect(result.sessionParams).toBeUndefined();
  });

  it("is stopped with all its processes when the run stops", async () => {
    api.script(["setsid sleep 611 & sleep 612"]);
    const stop = new AbortController();
    const sleepers = async () =>
      (await processTable().list()).filter(({ pid }) => {
        try {
          return /^sleep\x0061[12]\x00$/.test(readFileSync(`/proc/${pid}/cmdline`, "latin1"));
        } catch {
          return false;
        }
      }).length;
    const run = claude({ signal: stop.signal, config: { graceSec: 2 } });
    await expect.poll(sleepers, { timeout: 20_000 }).toBe(2);
    stop.abort();
    expect((await run).result).toMatchObject({ errorCode: "cancelled" });
    expect(await sleepers()).toBe(0);
  });

  it("is stopped at its time limit if the model never answers", async () => {
    api.mood("silent");
    const { result } = await claude({ config: { timeoutSec: 3, graceSec: 1 } });
    expect(result).toMatchObject({ timedOut: true, errorCode: "timeout" });
  });
});

describe("skills", () => {
  it("are known to the model in the runs that have them, and in no other", async () => {
    await expectSkillsOnlyFor(folder, api, (skills) => claude({ skills }));
  });
});

describe("when the provider refuses", () => {
  it("a used-up limit is reported with its reset time", async () => {
    const resetsAt = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 7_200_000);
    api.mood("quota", resetsAt);
    const { result, stdout } = await claude({
      env: { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-any" },
    });
    expect(stdout).not.toBe("");
    expect(result).toMatchObject({
      errorFamily: "provider_quota",
      retryNotBefore: resetsAt.toISOString(),
      billingType: "subscription_included",
    });
  });

  it("an overload is transient", async () => {
    api.mood("overloaded");
    const { result } = await claude({ env: { CLAUDE_CODE_MAX_RETRIES: "1" } });
    expect(result).toMatchObject({ errorFamily: "transient_upstream" });
    expect(result.errorMessage).toContain("529");
  });

  it("a refusal of the model is one", async () => {
    api.mood("refusing");
    const { result } = await claude();
    expect(result).toMatchObject({ errorFamily: "model_refusal" });
  });

  it("refused credentials are reported soon, with a hint", async () => {
    api.mood("credentials_refused");
    const from = performance.now();
    const { result } = await claude();
    expect(result).toMatchObject({ errorFamily: "sign_in_required" });
    expect(result.errorMessage).toMatch(/claude \/login.*ANTHROPIC_API_KEY/);
    expect(performance.now() - from).toBeLessThan(20_000);
  });

  it("a missing sign-in is reported with a hint", async () => {
    const { result } = await claude({ env: { ANTHROPIC_API_KEY: "" } });
    expect(result).toMatchObject({ errorFamily: "sign_in_required", errorCode: "sign_in_required" });
  });
});

describe("testing the environment", () => {
  const test = (more: Partial<AdapterRun> = {}) => {
    const { env, ...rest } = more;
    return testAdapterEnvironment({
      adapter: createServerAdapter(),
      cwd,
      env: environment(env),
      ...rest,
    });
  };
  const codes = (report: Awaited<ReturnType<typeof test>>) => report.checks.map(({ code }) => code);

  it("passes when claude says hello", async () => {
    api.script([], "hello");
    const report = await test();
    expect(codes(report)).toEqual([
      "adapter_a_cwd_valid",
      "adapter_a_anthropic_api_key_overrides_subscription",
      "adapter_a_command_resolvable",
      "adapter_a_hello_probe_passed",
    ]);
    expect(report.status).toBe("pass");
  });

  it("fails when it is not signed in", async () => {
    const report = await test({ env: { ANTHROPIC_API_KEY: "" } });
    expect(codes(report)).toContain("adapter_a_subscription_mode_possible");
    expect(codes(report)).toContain("adapter_a_hello_probe_auth_required");
    expect(report.status).toBe("fail");
  });
});
