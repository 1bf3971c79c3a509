import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { appServer } from "../../plugins/adapter-b-local/src/app-server.ts";
import { commandLine as codexLine } from "../../plugins/adapter-b-local/src/command-line.ts";
import { readConfig as codexConfig } from "../../plugins/adapter-b-local/src/configuration.ts";
import { classifyFailure as codexFailure } from "../../plugins/adapter-b-local/src/failures.ts";
import { models as codexModels, listModels } from "../../plugins/adapter-b-local/src/models.ts";
import { createServerAdapter as codex } from "../../plugins/adapter-b-local/src/server.ts";
import { usageSince } from "../../plugins/adapter-b-local/src/session.ts";
import { createStdoutParser as codexParser } from "../../plugins/adapter-b-local/src/ui-parser.ts";
import { commandLine as opencodeLine } from "../../plugins/adapter-c-local/src/command-line.ts";
import { readConfig as opencodeConfig } from "../../plugins/adapter-c-local/src/configuration.ts";
import { classifyFailure as opencodeFailure } from "../../plugins/adapter-c-local/src/failures.ts";
import { readModels } from "../../plugins/adapter-c-local/src/models.ts";
import { createServerAdapter as opencode } from "../../plugins/adapter-c-local/src/server.ts";
import { parseStdoutLine as opencodeEntries } from "../../plugins/adapter-c-local/src/ui-parser.ts";
import type { AgentAdapter, ProcessOutcome, ProcessSpec, Word } from "../../ports/agent-adapter.ts";
import { runAdapter } from "../support/run-adapter.ts";

const now = new Date("2026-11-21T12:00:00Z");
const codexEntries = codexParser().parseLine;
const left = {
  exitCode: 0,
  signal: null,
  timedOut: false,
  stopped: false,
  endedAfterResult: false,
  stderrTail: "",
};

/** Runs the adapter with a program that prints these events. */
const runPrinting = async (
  adapter: AgentAdapter,
  events: readonly (object | string)[],
  outcome: Partial<ProcessOutcome> = {},
  config: object = {},
) => {
  const print = async (spec: ProcessSpec) => {
    for (const event of events)
      spec.onStdoutLine?.(typeof event === "string" ? event : JSON.stringify(event));
    return { ...left, ...outcome };
  };
  return (await runAdapter({ adapter, cwd: tmpdir(), runProcess: print, config: { ...config } })).result;
};

const hostile = [
  "text",
  "{",
  "[]",
  "null",
  "{}",
  '{"type":3}',
  '{"type":"item.completed"}',
  '{"type":"text","part":4}',
  '{"type":"tool_use"}',
  '{"type":"error","error":[1]}',
  '{"type":"turn.completed","usage":"?"}',
  '{"type":"step_finish","part":{"tokens":[],"cost":"x"}}',
];

describe("codex", () => {
  const completed = {
    type: "turn.completed",
    usage: { input_tokens: 100, cached_input_tokens: 30, output_tokens: 20 },
  };
  const agentMessage = (text: string) => ({ type: "item.completed", item: { type: "agent_message", text } });

  it("gets the prompt on standard input, and resumes by a subcommand", () => {
    const config = codexConfig({
      model: "m",
      modelReasoningEffort: 'h"x',
      search: true,
      args: ["-c", "a=1"],
    });
    expect(codexLine(config, "s-1", null)).toEqual([
      "--search",
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "--model",
      "m",
      "-c",
      'model_reasoning_effort="h\\"x"',
      "-c",
      "a=1",
      "-c",
      "features.shell_snapshot=false",
      "resume",
      "s-1",
      "-",
    ]);
    expect(codexLine(codexConfig({}), null, null).at(-1)).toBe("-");
    const tools = { name: "boardroom", url: "http://here/mcp", tokenVariable: "SERVICE_API_KEY" };
    const bypassed = codexLine(codexConfig({}), null, tools).join(" ");
    expect(bypassed).toContain('-c mcp_servers.boardroom.url="http://here/mcp"');
    expect(bypassed).toContain('-c mcp_servers.boardroom.bearer_token_env_var="SERVICE_API_KEY"');
    expect(bypassed).toContain("-c mcp_servers.boardroom.required=true");
    expect(bypassed).not.toContain("approval_mode");
    const servers = [{ name: "tickets", url: "http://tickets/mcp", headers: {} }];
    expect(codexLine(codexConfig({}), null, null, servers)).toContain("mcp_servers.tickets.required=true");
    const sandboxed = codexLine(codexConfig({ dangerouslyBypassApprovalsAndSandbox: false }), null, tools);
    expect(sandboxed).toContain('mcp_servers.boardroom.default_tools_approval_mode="approve"');
    expect(() => codexConfig({ timeoutSec: 0 })).toThrow(/time limit/);
  });

  it("succeeds when its turn completed: the last message is the summary, cached tokens are apart", async () => {
    const result = await runPrinting(codex(), [
      { type: "thread.started", thread_id: "t-1" },
      agentMessage("one"),
      agentMessage("two"),
      completed,
    ]);
    expect(result).toMatchObject({ exitCode: 0, summary: "two", sessionDisplayId: "t-1" });
    expect(result.usage).toEqual({ inputTokens: 70, cachedInputTokens: 30, outputTokens: 20 });
    expect(result.errorMessage).toBeUndefined();
  });

  it.each([
    [
      "a turn failed, though it ended with 0",
      [{ type: "turn.failed", error: { message: "it broke" } }],
      {},
      /^it broke$/,
    ],
    ["it said an error and no more", [{ type: "error", message: "gone" }], { exitCode: 1 }, /^gone$/],
    ["it said nothing", [], {}, /without completing a turn/],
    ["it fell over", [], { exitCode: 7, stderrTail: "a\nsegfault\n" }, /segfault \(exit code 7\)/],
  ])("fails when %s", async (_what, events, outcome, sentence) => {
    expect((await runPrinting(codex(), events, outcome)).errorMessage).toMatch(sentence);
  });

  it("recovers from an error if a completed turn follows", async () => {
    const result = await runPrinting(codex(), [{ type: "error", message: "Reconnecting... 1/5" }, completed]);
    expect(result.errorMessage).toBeUndefined();
  });

  it("computes the use of a run from the totals of its session", () => {
    const tokens = (n: number) => ({ inputTokens: n, outputTokens: n, cachedInputTokens: n });
    expect(usageSince(tokens(5), null)).toEqual(tokens(5));
    expect(usageSince(tokens(5), tokens(3))).toEqual(tokens(2));
    expect(usageSince(tokens(2), tokens(3))).toEqual(tokens(2));
  });

  it.each([
    [
      "You’ve hit your usage limit. Upgrade or try again in 2 hours 5 minutes.",
      "provider_quota",
      "2026-11-21T14:05:00.000Z",
    ],
    ["unexpected status 429 Too Many Requests: slow down", "transient_upstream", undefined],
    ["unexpected status 503 Service Unavailable: x", "transient_upstream", undefined],
    ["unexpected status 401 Unauthorized: Incorrect API key provided.", "sign_in_required", undefined],
    ["Missing environment variable: `OPENAI_API_KEY`.", "sign_in_required", undefined],
    ["This content was flagged for possible cybersecurity risk", "model_refusal", undefined],
    ["something else", undefined, undefined],
  ])("%s is %s", (text, errorFamily, retryNotBefore) => {
    expect(codexFailure(text, now)).toMatchObject({
      ...(errorFamily && { errorFamily }),
      ...(retryNotBefore && { retryNotBefore }),
    });
    expect(codexFailure(text, now).errorFamily).toBe(errorFamily);
  });

  it("is parsed line by line; unknown lines are shown unchanged", () => {
    const started = { type: "item.started", item: { id: "i", type: "command_execution", command: "ls" } };
    const ended = {
      type: "item.completed",
      item: { id: "i", type: "command_execution", aggregated_output: "a", exit_code: 2 },
    };
    const kinds = [
      { type: "thread.started", thread_id: "t" },
      agentMessage("x"),
      started,
      ended,
      { type: "item.completed", item: { id: "r", type: "tool_result", content: "b" } },
      completed,
      { type: "new" },
    ].map((event) => codexEntries(JSON.stringify(event), "t").map(({ kind }) => kind));
    expect(kinds).toEqual([
      ["init"],
      ["assistant"],
      ["tool_call"],
      ["tool_result"],
      ["tool_result"],
      ["result"],
      ["stdout"],
    ]);
    for (const line of hostile) expect(Array.isArray(codexEntries(line, "t"))).toBe(true);
  });

  it("shows the content that a tool of a server answered, and any other result as it is", () => {
    const shown = (result: object) =>
      codexEntries(
        JSON.stringify({
          type: "item.completed",
          item: { id: "1", type: "mcp_tool_call", tool: "comment", result },
        }),
        "t",
      );
    expect(shown({ content: [{ type: "text", text: "Said." }] })).toMatchObject([{ content: "Said." }]);
    expect(shown({ content: [{ type: "image" }] })).toMatchObject([{ content: "[Picture]" }]);
  });

  it("merges the provider's models with its own, sorted; without a key or an answer only its own", async () => {
    let answers = 0;
    const server = createServer((request, response) => {
      answers += 1;
      const known = request.headers.authorization === "Bearer sk-known-key";
      response
        .writeHead(known ? 200 : 401)
        .end(JSON.stringify({ data: [{ id: "zz-10" }, { id: "ZZ-9" }, { id: "gpt-5" }, { id: 4 }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const OPENAI_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const companyId = "company-1";
    const ids = (
      await listModels({ companyId, env: { OPENAI_API_KEY: "sk-known-key", OPENAI_BASE_URL } })
    ).map(({ id }) => id);
    expect(ids.slice(-2)).toEqual(["ZZ-9", "zz-10"]);
    expect(ids.filter((id) => id === "gpt-5")).toHaveLength(1);
    await listModels({ companyId, env: { OPENAI_API_KEY: "sk-known-key", OPENAI_BASE_URL } });
    expect(answers).toBe(1);
    expect(await listModels({ companyId, env: { OPENAI_API_KEY: "sk-wrong", OPENAI_BASE_URL } })).toEqual(
      codexModels,
    );
    expect(await listModels({ companyId, env: {} })).toEqual(codexModels);
    server.close();
  });
});

describe("opencode", () => {
  const config = { model: "p/m" };
  const step = {
    type: "step_finish",
    sessionID: "ses_1",
    part: { tokens: { input: 70, output: 20, reasoning: 5, cache: { read: 30, write: 1 } }, cost: 0.25 },
  };
  const text = (content: string) => ({ type: "text", sessionID: "ses_1", part: { text: content } });

  it("is called with its session and model, which must have a provider", () => {
    expect(
      opencodeLine(opencodeConfig({ model: "p/m/x", variant: "high", extraArgs: ["--x"] }), "ses_1"),
    ).toEqual([
      "run",
      "--format",
      "json",
      "--session",
      "ses_1",
      "--model",
      "p/m/x",
      "--variant",
      "high",
      "--x",
    ]);
    for (const model of ["m", "/m", "p/", "--x/y", "a b/c"])
      expect(() => opencodeConfig({ model })).toThrow(/provider\/model/);
    expect(() => opencodeConfig({})).toThrow(/model is required/);
  });

  it("sums its steps, with reasoning in the output, and joins its texts", async () => {
    const result = await runPrinting(opencode(), [text("one"), step, text("two"), step], {}, config);
    expect(result).toMatchObject({
      exitCode: 0,
      summary: "one\n\ntwo",
      costUsd: 0.5,
      provider: "p",
      sessionDisplayId: "ses_1",
    });
    expect(result.usage).toEqual({ inputTokens: 142, cachedInputTokens: 60, outputTokens: 50 });
  });

  it.each([
    [
      "it said an error and ended with 0",
      [step, { type: "error", error: { data: { message: "it broke" } } }],
      {},
      /^it broke$/,
    ],
    ["it finished no step", [], {}, /without finishing a step/],
    [
      "it fell over",
      [],
      { exitCode: 1, stderrTail: "Error: no such thing" },
      /^Error: no such thing \(exit code 1\)/,
    ],
  ])("has failed when %s", async (_what, events, outcome, sentence) => {
    expect((await runPrinting(opencode(), events, outcome, config)).errorMessage).toMatch(sentence);
  });

  it.each([
    [{ name: "APIError", message: "no", status: 401 }, "sign_in_required"],
    [{ name: "ProviderAuthError", message: "no" }, "sign_in_required"],
    [{ name: "APIError", message: "insufficient_quota", status: 429 }, "provider_quota"],
    [{ name: "APIError", message: "slow down", status: 429 }, "transient_upstream"],
    [{ name: "APIError", message: "oh", status: 529 }, "transient_upstream"],
    [{ name: "ContentFilterError", message: "blocked" }, "model_refusal"],
    [{ name: "UnknownError", message: "what" }, undefined],
  ])("%j is %s", (error, family) => {
    expect(opencodeFailure({ status: null, ...error }, now).errorFamily).toBe(family);
  });

  it("lists models by lines of provider/model", () => {
    expect(readModels(["b/two  x", "a/one", "a/one", "noise", "/x", "Error: y"]).map(({ id }) => id)).toEqual(
      ["a/one", "b/two"],
    );
  });

  it("is parsed line by line; unknown lines are shown unchanged", () => {
    const tool = {
      type: "tool_use",
      part: { tool: "bash", callID: "c", state: { status: "error", input: {}, error: "no" } },
    };
    const kinds = [text("x"), tool, step, { type: "error", error: { name: "E" } }, { type: "new" }].map(
      (event) => opencodeEntries(JSON.stringify(event), "t").map(({ kind }) => kind),
    );
    expect(kinds).toEqual([["assistant"], ["tool_call", "tool_result"], ["result"], ["stderr"], ["stdout"]]);
    for (const line of hostile) expect(Array.isArray(opencodeEntries(line, "t"))).toBe(true);
  });
});

describe("codex app-server", () => {
  const own = { id: 2, result: { thread: { id: "t" } } };
  const of = (threadId: string, method: string, fields: object) => ({
    method,
    params: { threadId, ...fields },
  });
  const message = (threadId: string, text: string) =>
    of(threadId, "item/completed", { item: { type: "agentMessage", id: "m", text } });
  const end = (threadId: string, status: string) =>
    of(threadId, "turn/completed", {
      turn: { status, error: status === "failed" ? { message: "Full." } : null },
    });
  const tokens = (calls: number) => ({
    inputTokens: 100 * calls,
    cachedInputTokens: 30 * calls,
    outputTokens: 20 * calls,
  });
  const used = (threadId: string, calls: number) =>
    of(threadId, "thread/tokenUsage/updated", { tokenUsage: { total: tokens(calls), last: tokens(1) } });

  it("is judged by its own thread, and counts the tokens of sub-agents", async () => {
    const result = await runPrinting(codex(), [
      own,
      used("t", 1),
      used("child", 1),
      used("child", 2),
      // One of an earlier run, which is resumed.
      used("other", 8),
      message("t", "All is done."),
      message("child", "Looked."),
      used("t", 2),
      end("t", "completed"),
      end("child", "failed"),
      of("child", "error", { error: { message: "Full." } }),
    ]);
    expect(result).toMatchObject({
      exitCode: 0,
      summary: "All is done.",
      usage: { inputTokens: 350, cachedInputTokens: 150, outputTokens: 100 },
      sessionParams: { sessionId: "t", counted: { outputTokens: 40 } },
    });
    expect(result.errorMessage).toBeUndefined();
  });

  it("has not done its work when only a sub-agent has", async () => {
    const result = await runPrinting(codex(), [own, message("child", "Looked."), end("child", "completed")]);
    expect(result).toMatchObject({ errorCode: "adapter_failed" });
    expect(result.summary).toBeUndefined();
  });
});

describe("what people say to codex app-server", () => {
  const conversation = () => {
    const sent: { id?: number; method: string; params: Record<string, unknown> }[] = [];
    const receipts: string[] = [];
    let receive: (word: Word) => void = () => {};
    let isEnded = false;
    const server = appServer(
      { cwd: "/work", onLog: async () => {}, onTaken: async (id, how) => void receipts.push(`${how} ${id}`) },
      { policy: "ask", model: undefined },
      null,
      {
        input: {
          write: (line) => void sent.push(JSON.parse(line)),
          end: () => {
            isEnded = true;
          },
        },
        skills: null,
        messages: {
          to: (taker) => {
            receive = taker;
          },
        },
      },
      "Work.",
    );
    const say = (message: object) => server.receive(JSON.stringify(message));
    say({ id: 1, result: {} });
    say({ id: 2, result: { thread: { id: "t" } } });
    const started = (id: string) => say({ method: "turn/started", params: { turn: { id } } });
    const ended = (status = "completed") => say({ method: "turn/completed", params: { turn: { status } } });
    started("one");
    return {
      say,
      started,
      ended,
      receipts,
      last: () => sent.at(-1)!,
      receive: (word: Word) => receive(word),
      isOver: () => server.isOver() && isEnded,
    };
  };
  const word = (id: string): Word => ({ kind: "message", id, text: `Word ${id}.` });

  it("is given to its turn, and is the next turn's where that has just ended", () => {
    const { say, started, ended, receipts, last, receive, isOver } = conversation();
    receive(word("a"));
    expect(last()).toMatchObject({
      method: "turn/steer",
      params: { expectedTurnId: "one", clientUserMessageId: "a" },
    });
    say({ method: "item/started", params: { item: { type: "userMessage", clientId: "a" } } });
    receive(word("b"));
    receive(word("c"));
    say({ id: last().id, error: { code: -32600 } });
    ended();
    expect(last()).toMatchObject({ method: "turn/start", params: { clientUserMessageId: "b" } });
    started("two");
    expect(last()).toMatchObject({
      method: "turn/steer",
      params: { expectedTurnId: "two", clientUserMessageId: "c" },
    });
    for (const clientId of ["b", "c", "c"])
      say({ method: "item/completed", params: { item: { type: "userMessage", clientId } } });
    expect(isOver()).toBe(false);
    ended();
    expect(isOver()).toBe(true);
    expect(receipts).toEqual(["taken a", "queued b", "queued c", "taken b", "taken c"]);
  });

  it("is given to its turn although sub-agents begin and end theirs", () => {
    const { say, ended, receipts, last, receive, isOver } = conversation();
    const ofChild = (method: string, fields: object) =>
      say({ method, params: { threadId: "child", ...fields } });
    ofChild("turn/started", { turn: { id: "of-child" } });
    ofChild("item/completed", { item: { type: "userMessage", clientId: null } });
    ofChild("turn/completed", { turn: { status: "completed" } });
    expect(isOver()).toBe(false);
    receive(word("a"));
    expect(last()).toMatchObject({ method: "turn/steer", params: { expectedTurnId: "one" } });
    say({ method: "item/started", params: { threadId: "t", item: { type: "userMessage", clientId: "a" } } });
    ended();
    expect([isOver(), receipts]).toEqual([true, ["taken a"]]);
  });

  it("begins no turn after an interrupt, a failed turn, or a turn that is refused", () => {
    const interrupted = conversation();
    interrupted.receive(word("a"));
    interrupted.receive({ kind: "interrupt" });
    expect(interrupted.last()).toMatchObject({ method: "turn/interrupt", params: { turnId: "one" } });
    interrupted.ended("interrupted");
    expect([interrupted.isOver(), interrupted.receipts]).toEqual([true, []]);
    const failed = conversation();
    failed.receive(word("a"));
    failed.ended("failed");
    expect(failed.isOver()).toBe(true);
    const refused = conversation();
    refused.receive(word("a"));
    refused.ended();
    refused.say({ id: refused.last().id, error: { code: -32600 } });
    expect(refused.isOver()).toBe(true);
  });
});
