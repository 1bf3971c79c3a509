import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandLine, extraEnvironment } from "../../plugins/adapter-a-local/src/command-line.ts";
import { readConfig } from "../../plugins/adapter-a-local/src/configuration.ts";
import { classifyFailure } from "../../plugins/adapter-a-local/src/failures.ts";
import { createServerAdapter } from "../../plugins/adapter-a-local/src/server.ts";
import { isSignInRefused, newStream, takeLine } from "../../plugins/adapter-a-local/src/stream.ts";
import { parseStdoutLine } from "../../plugins/adapter-a-local/src/ui-parser.ts";
import { sessionCodec } from "../../plugins/kit/cli-session.ts";
import { serviceTools } from "../../plugins/kit/service-tools.ts";
import type { ProcessOutcome, ProcessSpec } from "../../ports/agent-adapter.ts";
import { type AdapterRun, runAdapter, testAdapterEnvironment } from "../support/run-adapter.ts";

const now = new Date("2026-11-21T12:00:00Z");
const line = (event: object) => JSON.stringify(event);
const init = line({ type: "system", subtype: "init", session_id: "s-1", model: "claude-x" });
const assistantLine = (text: string, more: object = {}) =>
  line({ type: "assistant", message: { content: [{ type: "text", text }] }, ...more });
const aResult = (more: object = {}) =>
  line({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "Done.",
    session_id: "s-1",
    total_cost_usd: 0.25,
    usage: { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 3 },
    ...more,
  });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "adapter-a-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const left: ProcessOutcome = {
  exitCode: 0,
  signal: null,
  timedOut: false,
  stopped: false,
  endedAfterResult: false,
  stderrTail: "",
};

/** Runs the adapter with a program that prints these lines. */
const runPrinting = (
  lines: readonly string[],
  outcome: Partial<ProcessOutcome> = {},
  more: Partial<AdapterRun> = {},
) => {
  const print = async (spec: ProcessSpec): Promise<ProcessOutcome> => {
    for (const text of lines) spec.onStdoutLine?.(text);
    return { ...left, ...outcome };
  };
  return runAdapter({ adapter: createServerAdapter(), cwd: folder, runProcess: print, ...more });
};

describe("reading the stream", () => {
  it("ends at the result line, and no earlier", () => {
    const stream = newStream();
    expect([init, assistantLine("hi"), aResult()].map((text) => takeLine(stream, text))).toEqual([
      null,
      "working",
      "done",
    ]);
  });

  it.each([
    ["task_notification", { status: "completed" }],
    ["task_updated", { patch: { status: "completed", end_time: 1 } }],
    ["task_updated", { patch: { status: "killed" } }],
  ])(
    "continues after a result while a background task is open, until %s %j and the last result",
    (end, more) => {
      const stream = newStream();
      const task = (subtype: string, fields: object = {}) =>
        line({ type: "system", subtype, task_id: "k1", ...fields });
      const lines = [
        init,
        task("task_started"),
        aResult({ result: "I wait." }),
        task(end, more),
        assistantLine("Final report."),
        aResult({ result: "Final report." }),
      ];
      expect(lines.map((text) => takeLine(stream, text))).toEqual([
        null,
        "working",
        "working",
        null,
        "working",
        "done",
      ]);
      expect(stream.result?.text).toBe("Final report.");
    },
  );

  it("sums the use of all listed models", async () => {
    const modelUsage = {
      a: { inputTokens: 10, outputTokens: 1, cacheReadInputTokens: 100, cacheCreationInputTokens: 1000 },
      b: { inputTokens: 20, outputTokens: 2, cacheReadInputTokens: 200, cacheCreationInputTokens: 2000 },
    };
    const { result } = await runPrinting([init, aResult({ modelUsage })]);
    expect(result.usage).toEqual({ inputTokens: 3030, outputTokens: 3, cachedInputTokens: 300 });
  });

  it("else uses the main model's figures, and drops invalid ones", async () => {
    expect((await runPrinting([aResult()])).result.usage).toEqual({
      inputTokens: 5,
      outputTokens: 7,
      cachedInputTokens: 3,
    });
    const odd = { usage: { input_tokens: "many", output_tokens: -4 }, total_cost_usd: "free" };
    const { result } = await runPrinting([aResult(odd)]);
    expect(result.usage).toEqual({ inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 });
    expect(result.costUsd).toBeUndefined();
  });

  it.each([
    "plain text",
    "{not json",
    "[]",
    "null",
    '"result"',
    "{}",
    line({ type: "result-like" }),
    line({ type: "assistant", message: "?" }),
    line({ type: "assistant", message: { content: [null, 3, { type: "text" }] } }),
  ])("survives %s", (text) => {
    const stream = newStream();
    expect(takeLine(stream, text)).not.toBe("done");
    expect(stream.result).toBeNull();
    expect(stream.texts).toEqual([]);
  });

  it("stops after three refused credentials", () => {
    const stream = newStream();
    const retry = line({ type: "system", subtype: "api_retry", error: "authentication_failed" });
    const seen = [retry, retry, retry].map((text) => {
      takeLine(stream, text);
      return isSignInRefused(stream);
    });
    expect(seen).toEqual([false, false, true]);
  });
});

describe("the outcome of a run", () => {
  it("is a success with a result and exit code 0", async () => {
    const { result } = await runPrinting([init, assistantLine("hi"), aResult()]);
    expect(result).toMatchObject({ exitCode: 0, summary: "Done.", model: "claude-x", costUsd: 0.25 });
    expect(result.errorMessage).toBeUndefined();
  });
  it.each([
    ["exits with 1", { exitCode: 1 }],
    ["is killed", { exitCode: null, signal: "SIGKILL" }],
  ])("is a success if the program printed its result and then %s", async (_, outcome) => {
    const { result } = await runPrinting([init, aResult()], outcome);
    expect(result).toMatchObject({ exitCode: 0, summary: "Done." });
    expect(result.errorCode).toBeUndefined();
  });
  it("is a success if the program printed its result and then hung", async () => {
    const { result } = await runPrinting([init, aResult()], {
      exitCode: null,
      signal: "SIGTERM",
      endedAfterResult: true,
    });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.errorMessage).toBeUndefined();
  });
  it("is a failure if an error was reported, though the exit code is 0", async () => {
    const { result } = await runPrinting([init, aResult({ is_error: true, result: "API Error: it broke" })]);
    expect(result).toMatchObject({
      exitCode: 0,
      errorCode: "adapter_failed",
      errorMessage: "API Error: it broke",
    });
  });
  it("is a failure if no output of the program was understood", async () => {
    const { result } = await runPrinting(["some other program"]);
    expect(result.errorMessage).toMatch(/without saying a result/);
  });
  it("is a failure with the last line of standard error if the program crashed", async () => {
    const { result } = await runPrinting([], { exitCode: 7, stderrTail: "one\nsegfault somewhere\n" });
    expect(result.errorMessage).toBe("segfault somewhere (exit code 7)");
  });
  it("keeps the summary and session of a run that was cut off", async () => {
    const { result } = await runPrinting([init, assistantLine("first"), assistantLine("second")], {
      exitCode: null,
      timedOut: true,
    });
    expect(result).toMatchObject({
      timedOut: true,
      errorCode: "timeout",
      summary: "first\n\nsecond",
      sessionParams: { sessionId: "s-1", cwd: folder },
    });
  });
  it("tells how to install a missing program", async () => {
    const startError = 'The command "claude" was not found. Install it, or configure its absolute path.';
    const { result } = await runPrinting([], { exitCode: null, startError });
    expect(result).toMatchObject({ errorCode: "adapter_failed" });
    expect(result.errorMessage).toMatch(/path\. Install the claude command line with `npm install -g/);
  });
  it("says nothing of an installation where its place has failed", async () => {
    const startError = "Its pod was evicted from node node-1: The node was low on memory.";
    const { result } = await runPrinting([], { exitCode: null, startError });
    expect(result.errorMessage).toBe(startError);
  });
  it.each([
    [{ timeoutSec: 0 }, /timeoutSec must be/],
    [{ graceSec: "none" }, /graceSec must be/],
    [{ maxTurnsPerRun: 1.5 }, /maxTurnsPerRun must be a whole number/],
    [{ extraArgs: "--x" }, /extraArgs must be a list/],
    [{ dangerouslySkipPermissions: "yes" }, /must be true or false/],
    [{ instructionsFilePath: "/no/such/file" }, /cannot be read: \/no\/such\/file/],
  ])("is a refusal to start with %j", async (config, expected) => {
    const { result, specs } = await runPrinting([aResult()], {}, { config });
    expect(result).toMatchObject({ errorCode: "configuration_incomplete", exitCode: null });
    expect(result.errorMessage).toMatch(expected);
    expect(specs).toEqual([]);
  });
});

describe("the cause of a failure", () => {
  const failed = (text: string, more: object = {}, before: readonly string[] = []) => {
    const stream = newStream();
    for (const event of before) takeLine(stream, event);
    takeLine(stream, aResult({ is_error: true, result: text, ...more }));
    return classifyFailure(stream, text, now);
  };
  it.each([
    ["Not logged in · Please run /login", {}, "sign_in_required"],
    ["Invalid API key · Fix external API key", {}, "sign_in_required"],
    ["OAuth token revoked · Please run /login", {}, "sign_in_required"],
    ["Failed to authenticate", { api_error_status: 401 }, "sign_in_required"],
    ["Claude AI usage limit reached|1795305600", {}, "provider_quota"],
    ["You've hit your session limit · resets 3pm (UTC)", { api_error_status: 429 }, "provider_quota"],
    ["You've hit your monthly spend limit.", {}, "provider_quota"],
    ["You're out of usage credits. /model to switch models.", {}, "provider_quota"],
    ["Credit balance is too low", { api_error_status: 400 }, "provider_quota"],
    ["API Error: Request rejected (429) · later", { api_error_status: 429 }, "transient_upstream"],
    ["API Error: 529 Overloaded.", { api_error_status: 529 }, "transient_upstream"],
    ["API Error: 500 Internal server error", {}, "transient_upstream"],
    ["API Error: Connection error.", {}, "transient_upstream"],
    [
      "API Error: Claude Code is unable to respond to this request",
      { stop_reason: "refusal" },
      "model_refusal",
    ],
    ["API Error: 400 prompt is too long", { api_error_status: 400 }, undefined],
    ["", {}, undefined],
  ])("%j %j is %s", (text, more, family) => {
    const failure = failed(text, more);
    expect(failure.errorFamily).toBe(family);
    expect(failure.errorMessage).not.toBe("");
  });
  it("a version that the provider no longer serves is reported with a hint", () => {
    const text = "It looks like your version of Claude Code (1.0.1) needs an update.";
    const failure = failed(text);
    expect(failure).toMatchObject({ errorCode: "cli_version_incompatible" });
    expect(failure.errorMessage).toMatch(/1\.0\.1.*npm install/);
  });

  it("takes the reset time of a limit from the event before the text", () => {
    const event = line({
      type: "rate_limit_event",
      rate_limit_info: { status: "rejected", resetsAt: 1_795_305_600, rateLimitType: "five_hour" },
    });
    expect(failed("You've hit your limit · resets 3pm (UTC)", {}, [event]).retryNotBefore).toBe(
      "2026-11-22T00:00:00.000Z",
    );
    expect(failed("You've hit your limit · resets 3pm (UTC)").retryNotBefore).toBe(
      "2026-11-21T15:00:00.000Z",
    );
    expect(failed("Credit balance is too low").retryNotBefore).toBeUndefined();
  });
  it.each([
    ["a later report lifts it", { status: "allowed", rateLimitType: "five_hour" }],
    ["its use is paid for", { status: "rejected", rateLimitType: "five_hour", isUsingOverage: true }],
  ])("a rejected limit explains no failure once %s", (_, later) => {
    const report = (info: object) => line({ type: "rate_limit_event", rate_limit_info: info });
    const rejected = report({ status: "rejected", resetsAt: 1_795_305_600, rateLimitType: "five_hour" });
    const failure = failed("API Error: Request rejected (429) · later", { api_error_status: 429 }, [
      rejected,
      report(later),
    ]);
    expect(failure).toMatchObject({ errorFamily: "transient_upstream" });
    expect(failure.retryNotBefore).toBeUndefined();
  });
  it("a rejected limit explains no failure of another kind", () => {
    const rejected = line({
      type: "rate_limit_event",
      rate_limit_info: { status: "rejected", resetsAt: 1_795_305_600, rateLimitType: "five_hour" },
    });
    expect(failed("Something else went wrong", {}, [rejected]).errorCode).toBe("adapter_failed");
  });
  it("a warning of the limit alone is not a failure", () => {
    const event = line({
      type: "rate_limit_event",
      rate_limit_info: { status: "allowed_warning", resetsAt: 1_795_305_600 },
    });
    expect(failed("API Error: 529 Overloaded.", { api_error_status: 529 }, [event]).errorFamily).toBe(
      "transient_upstream",
    );
  });
  it("the agent's own text about limits and logins is not taken for it", async () => {
    const { result } = await runPrinting([
      init,
      assistantLine("Please run /login, usage limit reached"),
      aResult(),
    ]);
    expect(result.errorFamily).toBeUndefined();
    expect(result.errorMessage).toBeUndefined();
  });
});

describe("sessions", () => {
  it("are resumed only in their directory", async () => {
    const here = await runPrinting([aResult()], {}, { sessionParams: { sessionId: "s-1", cwd: folder } });
    expect(here.specs[0]?.args.join(" ")).toContain("--resume s-1");
    const elsewhere = await runPrinting(
      [aResult()],
      {},
      { sessionParams: { sessionId: "s-1", cwd: "/elsewhere" } },
    );
    expect(elsewhere.specs[0]?.args).not.toContain("--resume");
    expect(elsewhere.system).toContain("belongs to /elsewhere");
  });
  it("that are unknown are replaced, once", async () => {
    const unknown = aResult({
      is_error: true,
      subtype: "error_during_execution",
      errors: ["No conversation found with session ID: s-1"],
    });
    const { specs, result } = await runPrinting(
      [unknown],
      { exitCode: 1 },
      { sessionParams: { sessionId: "s-1", cwd: folder } },
    );
    expect(specs.map(({ args }) => args.includes("--resume"))).toEqual([true, false]);
    expect(result.errorMessage).toContain("No conversation found");
  });
  it("that are new get the prompt template, resumed ones do not", async () => {
    const config = { promptTemplate: "You are {{agentName}}." };
    const fresh = await runPrinting([aResult()], {}, { config, prompt: "Go." });
    expect(fresh.specs[0]?.stdin).toBe("You are Ada.\n\nGo.");
    const sessionParams = { sessionId: "s-1", cwd: folder };
    const resumed = await runPrinting([aResult()], {}, { config, prompt: "Go.", sessionParams });
    expect(resumed.specs[0]?.stdin).toBe("Go.");
  });
  it.each([
    null,
    undefined,
    3,
    "s-1",
    [],
    {},
    { sessionId: "s-1" },
    { sessionId: "--help", cwd: "/" },
    { sessionId: "a b", cwd: "/" },
  ])("refuse %j", (raw) => {
    expect(sessionCodec.deserialize(raw)).toBeNull();
  });
  it("survive storage", () => {
    const session = { sessionId: "s-1", cwd: "/w" };
    expect(sessionCodec.deserialize(sessionCodec.serialize({ ...session, more: 1 }))).toEqual(session);
    expect(sessionCodec.getDisplayId(session)).toBe("s-1");
    expect(sessionCodec.getDisplayId({})).toBeNull();
  });
});

describe("the command line", () => {
  it("has only configured options", () => {
    expect(commandLine(readConfig({ dangerouslySkipPermissions: false }), {})).toEqual([
      "--print",
      "--output-format",
      "stream-json",
      "--verbose",
    ]);
    const all = readConfig({
      model: "m",
      effort: "high",
      chrome: true,
      maxTurnsPerRun: 9,
      instructionsFilePath: "/of/the/service",
      args: ["--add-dir", "/x"],
    });
    expect(commandLine(all, { resume: "s-1", laidOut: "/s", instructions: "/f" }).slice(4)).toEqual(
      "--resume s-1 --dangerously-skip-permissions --chrome --model m --effort high --max-turns 9 --append-system-prompt-file /f --add-dir=/s --add-dir /x".split(
        " ",
      ),
    );
  });
  it("names the service's tools, and the variable of the token", () => {
    const tools = serviceTools({ SERVICE_API_URL: "http://here:3100/", SERVICE_API_KEY: "token-of-run" });
    const [config, allowed] = commandLine(readConfig({ dangerouslySkipPermissions: false }), { tools }).slice(
      4,
    );
    expect(JSON.parse(config!.replace(/^--mcp-config=/, ""))).toEqual({
      mcpServers: {
        boardroom: {
          type: "http",
          url: "http://here:3100/mcp",
          headers: { Authorization: ["Bearer $", "{SERVICE_API_KEY}"].join("") },
          alwaysLoad: true,
        },
      },
    });
    expect(allowed).toBe("--allowedTools=mcp__boardroom");
    expect(commandLine(readConfig({}), { tools }).join(" ")).not.toContain("allowedTools");
    expect(serviceTools({})).toBeNull();
  });
  it("lets claude run as root, unless the configuration says otherwise", () => {
    const config = readConfig({});
    expect(extraEnvironment(config, {}, true)).toEqual({ DISABLE_AUTOUPDATER: "1", IS_SANDBOX: "1" });
    expect(extraEnvironment(config, {}, false)).toEqual({ DISABLE_AUTOUPDATER: "1" });
    expect(extraEnvironment(config, { IS_SANDBOX: "0", DISABLE_AUTOUPDATER: "0" }, true)).toEqual({});
  });
});

describe("the transcript", () => {
  const ts = "2026-11-21T12:00:00.000Z";
  it.each([
    [init, [{ kind: "init", model: "claude-x", sessionId: "s-1" }]],
    [assistantLine("hi"), [{ kind: "assistant", text: "hi" }]],
    [
      line({
        type: "assistant",
        message: {
          content: [
            { type: "thinking", thinking: "hm" },
            { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } },
          ],
        },
      }),
      [
        { kind: "thinking", text: "hm" },
        { kind: "tool_call", name: "Bash", input: { command: "ls" }, toolUseId: "t" },
      ],
    ],
    [
      line({
        type: "user",
        message: {
          content: [
            {
              type: "tool_result",
              tool_use_id: "t",
              content: [
                { type: "text", text: "a" },
                { type: "text", text: "b" },
              ],
              is_error: true,
            },
          ],
        },
      }),
      [{ kind: "tool_result", toolUseId: "t", content: "a\nb", isError: true }],
    ],
    [line({ type: "user", message: { content: "go on" } }), [{ kind: "user", text: "go on" }]],
    [
      aResult({ errors: ["x"] }),
      [
        {
          kind: "result",
          text: "Done.",
          inputTokens: 5,
          outputTokens: 7,
          cachedTokens: 3,
          costUsd: 0.25,
          subtype: "success",
          isError: false,
          errors: ["x"],
        },
      ],
    ],
    ["not json", [{ kind: "stdout", text: "not json" }]],
    ['{"type":"new_kind"}', [{ kind: "stdout", text: '{"type":"new_kind"}' }]],
    ["  ", []],
  ])("of %s", (text, expected) => {
    expect(parseStdoutLine(text, ts)).toEqual(expected.map((entry) => ({ ...entry, ts })));
  });
});

describe("testing the environment", () => {
  const codes = async (config: Record<string, unknown>, env: Record<string, string> = {}, cwd = folder) => {
    const report = await testAdapterEnvironment({ adapter: createServerAdapter(), cwd, config, env });
    return [report.status, ...report.checks.map(({ code }) => code.replace("adapter_a_", ""))];
  };
  it("does not run a custom command", async () => {
    const command = join(folder, "mine");
    writeFileSync(command, "#!/bin/sh\n");
    chmodSync(command, 0o755);
    expect(await codes({ command })).toEqual([
      "pass",
      "cwd_valid",
      "subscription_mode_possible",
      "command_resolvable",
      "hello_probe_skipped_custom_command",
    ]);
  });
  it("fails without the command and without the directory", async () => {
    expect(
      await codes({ effort: "vast" }, { PATH: "/nowhere", CLAUDE_CODE_OAUTH_TOKEN: "x" }, "/no/where"),
    ).toEqual([
      "fail",
      "cwd_invalid",
      "oauth_token_configured",
      "effort_flag_unsupported",
      "command_unresolvable",
      "hello_probe_skipped_unresolved_command",
    ]);
  });
  it("says what to fix first, and what passed", async () => {
    const { checks } = await testAdapterEnvironment({
      adapter: createServerAdapter(),
      cwd: folder,
      config: {},
      env: { PATH: "/nowhere" },
    });
    expect(checks.filter(({ passed }) => passed).map(({ code }) => code)).toEqual(["adapter_a_cwd_valid"]);
    expect(checks.at(-1)).toMatchObject({
      level: "info",
      hint: 'Fix this first: The command "claude" was not found or is not executable.',
    });
  });
  it("fails with an invalid configuration", async () => {
    expect(await codes({ timeoutSec: 0 })).toEqual(["fail", "cwd_valid", "config_invalid"]);
  });
});
