import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { maxLineLength } from "../../adapters-infra/local/process-output.ts";
import { readConfig } from "../../plugins/acp/src/configuration.ts";
import { createServerAdapter } from "../../plugins/acp/src/server.ts";
import { createStdoutParser } from "../../plugins/acp/src/ui-parser.ts";
import { converse } from "../../plugins/kit/acp/conversation.ts";
import { answerOf, askedBy } from "../../plugins/kit/acp/permissions.ts";
import { presets } from "../../plugins/kit/acp/presets.ts";
import { ProgramGone } from "../../plugins/kit/acp/rpc-client.ts";
import { newTurn, takeUpdate, usageOf } from "../../plugins/kit/acp/turn.ts";
import { type AdapterRun, runAdapter, testAdapterEnvironment } from "../support/run-adapter.ts";

const agent = fileURLToPath(new URL("../support/acp-agent.mjs", import.meta.url));

type Message = Readonly<Record<string, unknown>>;
type Steps = readonly Message[];

let folder: string;
let cwd: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "acp-"));
  cwd = join(folder, "workspace");
  mkdirSync(cwd);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const receivedFile = () => join(folder, "heard");
const received = () =>
  existsSync(receivedFile())
    ? readFileSync(receivedFile(), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
const receivedParams = (method: string) => received().find((message) => message.method === method)?.params;

const started = (
  plan: Readonly<Record<string, Steps | boolean>>,
  run: Partial<AdapterRun> = {},
): AdapterRun => ({
  adapter: createServerAdapter(),
  cwd,
  env: { ACP_AGENT: JSON.stringify({ leaves: true, ...plan }), HEARD: receivedFile() },
  ...run,
  config: { agent: "custom", command: agent, graceSec: 1, ...run.config },
});
const run = (plan: Readonly<Record<string, Steps | boolean>> = {}, more: Partial<AdapterRun> = {}) =>
  runAdapter(started(plan, more));

const text = (content: string) => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: content } },
});
const turn = (stopReason = "end_turn", more: Message = { usage: { inputTokens: 5, outputTokens: 3 } }) => ({
  result: { stopReason, ...more },
});
const capable = (agentCapabilities: Message, more: Message = {}) => [
  { result: { protocolVersion: 1, agentCapabilities, ...more } },
];
const session = (more: Message = {}) => ({
  sessionId: "s-0",
  cwd,
  agent: "custom",
  command: agent,
  createdAt: "2026-01-01T00:00:00.000Z",
  cost: null,
  ...more,
});

describe("a conversation with an agent", () => {
  it("opens a session, prompts once, and ends with the turn", async () => {
    const { result, specs, metas } = await run({}, { prompt: "Light the lamp." });
    expect(result).toMatchObject({
      exitCode: 0,
      timedOut: false,
      summary: "Done.",
      usage: { inputTokens: 5, outputTokens: 3, cachedInputTokens: 0 },
      sessionDisplayId: "s-1",
      sessionParams: { sessionId: "s-1", cwd, agent: "custom", command: agent, cost: null },
    });
    expect(result.errorMessage).toBeUndefined();
    expect(received().map(({ method }) => method)).toEqual(["initialize", "session/new", "session/prompt"]);
    expect(receivedParams("initialize")).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    expect(receivedParams("session/prompt")).toEqual({
      sessionId: "s-1",
      prompt: [{ type: "text", text: "Light the lamp." }],
    });
    expect(JSON.stringify([specs.map(({ args }) => args), metas])).not.toContain("Light the lamp.");
  });

  it("continues over noise, unknown updates, second answers and requests that it does not offer", async () => {
    const chunk = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: text("!") });
    const { result } = await run({
      initialize: [
        { raw: "Starting up...\n{not json\n\n[1]\n" },
        ...capable({}),
        { result: { protocolVersion: 7 } },
      ],
      "session/prompt": [
        { update: { sessionUpdate: "from_the_future", content: [] } },
        { update: null, raw: `${chunk}\n${chunk}\n` },
        { ask: { method: "fs/read_text_file", params: { path: "/etc/passwd" } } },
        { ask: { method: "session/request_permission", params: { options: [{ kind: "allow_forever" }] } } },
        text("Well "),
        text("done."),
        turn(),
        turn("refusal"),
      ],
    });
    expect(result).toMatchObject({ exitCode: 0, summary: expect.stringContaining("Well done.") });
    expect(received().filter(({ method }) => method === undefined)).toMatchObject([
      { id: 101, error: { code: -32601 } },
      { id: 102, result: { outcome: { outcome: "cancelled" } } },
    ]);
  });

  it("leaves a message beyond the limit of a line out, and says so", async () => {
    const { result, system } = await run({
      "session/prompt": [{ longLine: maxLineLength + 1 }, text("Short."), turn()],
    });
    expect(result).toMatchObject({ exitCode: 0, summary: "Short." });
    expect(system).toContain("is left out");
  });

  it("has the configured model set, by id or name, where its session does not have it yet", async () => {
    const option = {
      sessionId: "s-1",
      configOptions: [
        {
          id: "llm",
          category: "model",
          currentValue: "a",
          options: [
            { value: "a", name: "Small" },
            { value: "b", name: "Large" },
          ],
        },
      ],
    };
    const plan = { "session/new": [{ result: option }], "session/set_model": [{ result: {} }] };
    expect((await run(plan, { config: { model: "Large" } })).result.errorMessage).toBeUndefined();
    expect(receivedParams("session/set_config_option")).toEqual({
      sessionId: "s-1",
      configId: "llm",
      value: "b",
    });
    rmSync(receivedFile());
    await run(plan, { config: { model: "a" } });
    expect(receivedParams("session/set_config_option")).toBeUndefined();
    const older = {
      sessionId: "s-1",
      models: { currentModelId: "a", availableModels: [{ modelId: "a" }, { modelId: "b" }] },
    };
    await run({ ...plan, "session/new": [{ result: older }] }, { config: { model: "b" } });
    expect(receivedParams("session/set_model")).toEqual({ sessionId: "s-1", modelId: "b" });
  });

  it("does not begin with another model than the configured one", async () => {
    const models = { currentModelId: "a", availableModels: [{ modelId: "a" }] };
    const offering = await run(
      { "session/new": [{ result: { sessionId: "s-1", models } }] },
      { config: { model: "z" } },
    );
    expect(offering.result.errorMessage).toMatch(/offers no model z, but a\./);
    expect((await run({}, { config: { model: "z" } })).result.errorMessage).toMatch(/none by the protocol/);
    expect(receivedParams("session/prompt")).toBeUndefined();
  });

  it("takes the notice that a mode was set for no word of the agent", async () => {
    const { result, stdout } = await run({
      "session/prompt": [text("[MODE_UPDATE] yolo"), text("Done."), turn()],
    });
    expect(result.summary).toBe("Done.");
    const parser = createStdoutParser();
    const entries = stdout.split("\n").flatMap((line) => parser.parseLine(line, "t"));
    expect(entries.filter(({ kind }) => kind === "assistant")).toEqual([
      { kind: "assistant", ts: "t", text: "Done." },
    ]);
  });

  it("is over with the turn, even if the program stays", async () => {
    expect((await run({ stays: true })).result).toMatchObject({ exitCode: 0, summary: "Done." });
  });

  it("counts words that come before its session is opened and after its turn is answered", async () => {
    const { result, stdout } = await run({
      leaves: false,
      "session/new": [text("EARLY "), { result: { sessionId: "s-1" } }],
      "session/prompt": [text("middle "), turn(), { afterMs: 200, ...text("LATE") }],
    });
    expect(result.summary).toMatch(/EARLY.*middle.*LATE/s);
    const parser = createStdoutParser();
    const shown = stdout.split("\n").flatMap((line) => parser.parseLine(line, ""));
    const texts = shown.flatMap((entry) => (entry.kind === "assistant" ? [entry.text] : []));
    expect(texts.join("")).toBe("EARLY middle LATE");
  });

  it("fails with a program that exits in a turn, by its own last words", async () => {
    const { result } = await run({ "session/prompt": [{ complain: "out of ideas" }, { exit: 3 }] });
    expect(result).toMatchObject({
      exitCode: 3,
      errorMessage: expect.stringMatching(/out of ideas \(exit code 3\)/),
      sessionParams: { sessionId: "s-1" },
    });
  });

  it("ends at its time limit with a program that never answers", async () => {
    const { result } = await run({ initialize: [] }, { config: { timeoutSec: 2 } });
    expect(result).toMatchObject({ timedOut: true, errorCode: "timeout" });
  });

  it("ends when the run is stopped, and keeps the session", async () => {
    const stop = new AbortController();
    const ended = run({ "session/prompt": [] }, { signal: stop.signal });
    await expect.poll(() => receivedParams("session/prompt")).toBeDefined();
    stop.abort();
    expect((await ended).result).toMatchObject({
      errorCode: "cancelled",
      sessionParams: { sessionId: "s-1" },
    });
  });

  it("is refused to an agent of another version", async () => {
    const { result } = await run({ initialize: [{ result: { protocolVersion: 2 } }] });
    expect(result.errorMessage).toMatch(/speaks version 2 of the protocol, and not 1/);
  });

  it("says how to install a program that is missing", async () => {
    const { result } = await run({}, { config: { agent: "qwen", command: "" }, env: { PATH: "/nowhere" } });
    expect(result.errorMessage).toMatch(/"qwen" was not found.*npm install -g @qwen-code\/qwen-code/);
  });
});

describe("a session", () => {
  const replay = text("From the past.");
  it.each([
    ["is resumed", { sessionCapabilities: { resume: {} }, loadSession: true }, "session/resume"],
    ["is else loaded, without its replay", { loadSession: true }, "session/load"],
  ])("%s", async (_how, capabilities, method) => {
    const plan = { initialize: capable(capabilities), [method]: [replay, { result: {} }] };
    const { result, stdout } = await run(plan, { sessionParams: session() });
    expect(receivedParams(method)).toEqual({ sessionId: "s-0", cwd, mcpServers: [] });
    expect(receivedParams("session/new")).toBeUndefined();
    expect(result).toMatchObject({ exitCode: 0, sessionDisplayId: "s-0" });
    if (method === "session/resume") return;
    expect(result.summary).toBe("Done.");
    expect(JSON.stringify(entriesOf(stdout))).not.toContain("From the past.");
  });

  it.each([
    [-32002, "Resource not found"],
    [-32603, "OpenCode service failure"],
  ])("that the agent does not know (%i) gives way to a new one", async (code, message) => {
    const { result, system } = await run(
      { initialize: capable({ loadSession: true }), "session/load": [{ error: { code, message } }] },
      { sessionParams: session() },
    );
    expect(result).toMatchObject({ exitCode: 0, sessionDisplayId: "s-1" });
    expect(system).toContain(`s-0 cannot be continued (${message}): starting a new one.`);
  });

  it.each([[{ agent: "codex" }], [{ command: "other" }], [{ cwd: "/elsewhere" }]])(
    "of another place (%j) is not continued",
    async (other) => {
      const initialize = capable({ sessionCapabilities: { resume: {} } });
      const { result, system } = await run({ initialize }, { sessionParams: session(other) });
      expect(result.sessionDisplayId).toBe("s-1");
      expect(system).toContain("s-0 belongs to");
      expect(receivedParams("session/resume")).toBeUndefined();
    },
  );

  it("that must wait for the end of its minute waits no longer than its program lives", async () => {
    vi.useFakeTimers();
    try {
      const stored = session({ agent: "gemini", command: "gemini", createdAt: new Date().toISOString() });
      let waits = () => {};
      const waiting = new Promise<void>((resolve) => {
        waits = resolve;
      });
      const { conversation, over, receive, close } = converse(() => {}, {
        config: readConfig({ agent: "gemini" }),
        cwd,
        env: {},
        session: stored,
        prompt: () => "",
        note: () => waits(),
        onSession: () => {},
      });
      const result = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
      receive(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
      await waiting;
      close();
      await over;
      expect(conversation.error).toBeInstanceOf(ProgramGone);
    } finally {
      vi.useRealTimers();
    }
  });

  it("costs a run what it has grown by", async () => {
    const costs = (amount: number, currency = "USD") => [
      { update: { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount, currency } } },
      text("Done."),
      turn(),
    ];
    const first = await run({ "session/prompt": costs(0.5) });
    expect(first.result).toMatchObject({ costUsd: 0.5, sessionParams: { cost: 0.5 } });
    const initialize = capable({ sessionCapabilities: { resume: {} } });
    const resume = { initialize, "session/resume": [{ result: {} }] };
    const sessionParams = first.result.sessionParams!;
    const second = await run({ ...resume, "session/prompt": costs(0.75) }, { sessionParams });
    expect(second.result).toMatchObject({ costUsd: 0.25, sessionParams: { cost: 0.75 } });
    const anew = await run({ ...resume, "session/prompt": costs(0.125) }, { sessionParams });
    expect(anew.result.costUsd).toBe(0.125);
    const unknown = await run({ ...resume, "session/prompt": costs(3, "EUR") }, { sessionParams });
    expect(unknown.result.costUsd).toBeUndefined();
    expect(unknown.result.sessionParams).toMatchObject({ cost: 0.5 });
  });
});

describe("the service's tools", () => {
  const servers = async (agent: string, mcpCapabilities: Message) => {
    const { specs } = await run(
      { initialize: capable({ mcpCapabilities }) },
      {
        config: { agent },
        env: {
          ACP_AGENT: JSON.stringify({ initialize: capable({ mcpCapabilities }) }),
          HEARD: receivedFile(),
          SERVICE_API_URL: "http://127.0.0.1:3100",
          SERVICE_API_KEY: "token-of-the-run",
        },
      },
    );
    expect(JSON.stringify(specs.map(({ command, args, env }) => [command, args, env]))).not.toContain(
      "token-of",
    );
    return receivedParams("session/new").mcpServers;
  };
  const server = (value: string) => [
    {
      type: "http",
      name: "boardroom",
      url: "http://127.0.0.1:3100/mcp",
      headers: [{ name: "Authorization", value }],
    },
  ];

  it("are given to an agent that takes them over HTTP, with the token", async () => {
    expect(await servers("codex", { http: true })).toEqual(server("Bearer token-of-the-run"));
  });
  it("are awaited by an agent that would open its session before it has them", async () => {
    await servers("codex", { http: true });
    expect(receivedParams("session/new")._meta).toEqual({ mcpStartupAwaitTimeoutMs: 30_000 });
  });
  it("are given by the name of the token to an agent that would make it an argument", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the agent's program fills it in
    expect(await servers("claude", { http: true })).toEqual(server("Bearer ${SERVICE_API_KEY}"));
  });
  it("are not given to another", async () => {
    expect(await servers("custom", {})).toEqual([]);
  });
});

describe("the mode of a session", () => {
  const gemini = (permissions: string) => ({ config: { agent: "gemini", permissions } });
  const modes = {
    currentModeId: "default",
    availableModes: ["default", "autoEdit", "yolo"].map((id) => ({ id, name: id })),
  };
  it.each([
    ["allow", "yolo"],
    ["allow_edits", "autoEdit"],
    ["deny", "default"],
  ])("fits the permissions: %s is %s", async (permissions, modeId) => {
    await run({ "session/new": [{ result: { sessionId: "s-1", modes } }] }, gemini(permissions));
    expect(receivedParams("session/set_mode")).toEqual({ sessionId: "s-1", modeId });
  });

  it("is an option of the session where the agent has it there", async () => {
    const configOptions = [{ id: "m", category: "mode", options: [{ value: "yolo", name: "Yolo" }] }];
    await run({ "session/new": [{ result: { sessionId: "s-1", configOptions } }] }, gemini("allow"));
    expect(receivedParams("session/set_config_option")).toEqual({
      sessionId: "s-1",
      configId: "m",
      value: "yolo",
    });
  });

  it("that is not offered, or refused, leaves a line in the log", async () => {
    const { system } = await run({}, { config: { mode: "plan" } });
    expect(system).toContain("The agent offers no mode plan");
    const refused = await run(
      {
        "session/new": [{ result: { sessionId: "s-1", modes } }],
        "session/set_mode": [{ error: { code: -32603, message: "not now" } }],
      },
      gemini("allow"),
    );
    expect(refused.system).toContain("refused its mode (not now)");
    expect(refused.result.exitCode).toBe(0);
  });
});

describe("a request for permission", () => {
  const options = ["allow_always", "allow_once", "reject_once", "reject_always"].map((kind) => ({
    kind,
    optionId: `id-${kind}`,
    name: kind,
  }));
  const decide = (...asked: Parameters<typeof askedBy>) => {
    const read = askedBy(...asked);
    return answerOf(read, read.decided === true);
  };
  const chosen = (policy: "allow" | "allow_edits" | "deny", kind: string) =>
    decide(policy, { toolCall: { kind }, options }, undefined).answer;
  const selected = (kind: string) => ({ outcome: { outcome: "selected", optionId: `id-${kind}` } });

  it.each([
    ["allow", "execute", "allow_once"],
    ["allow", "edit", "allow_once"],
    ["allow_edits", "edit", "allow_once"],
    ["allow_edits", "delete", "allow_once"],
    ["allow_edits", "move", "allow_once"],
    ["allow_edits", "execute", "reject_once"],
    ["allow_edits", "", "reject_once"],
    ["deny", "edit", "reject_once"],
    ["deny", "execute", "reject_once"],
  ] as const)("is answered by the policy %s for the kind %s: %s", (policy, kind, option) => {
    expect(chosen(policy, kind)).toEqual(selected(option));
  });

  it.each(["allow_edits", "ask", "deny"] as const)(
    "for a tool of the service is granted by the policy %s",
    (policy) => {
      const call = (toolName: string, title = "") => ({
        toolCall: { title, _meta: { claudeCode: { toolName } } },
        options,
      });
      expect(decide(policy, call("mcp__boardroom__comment"), undefined).isAllowed).toBe(true);
      expect(decide(policy, call("Bash", "mcp__boardroom__comment"), undefined).isAllowed).toBe(false);
      expect(decide(policy, call("mcp__other__comment"), undefined).isAllowed).toBe(false);
      const now = newTurn();
      takeUpdate(now, {
        sessionUpdate: "tool_call",
        toolCallId: "t",
        ...call("mcp__boardroom__comment").toolCall,
      });
      const asked = { toolCall: { toolCallId: "t" }, options };
      expect(decide(policy, asked, now.calls.get("t")!).isAllowed).toBe(true);
    },
  );

  it("for a tool of the service is granted to a program that names the server itself, and to no other", () => {
    const call = (rawInput: Message) => ({ toolCall: { kind: "execute", rawInput }, options });
    const ours = { server: "boardroom", tool: "comment", arguments: { body: "x".repeat(30_000) } };
    expect(askedBy("deny", call(ours), undefined, presets.codex.namesServers).decided).toBe(true);
    expect(askedBy("deny", call(ours), undefined, presets.opencode.namesServers).decided).toBe(false);
    for (const other of [
      { ...ours, server: "other" },
      { ...ours, command: ["rm"] },
    ])
      expect(askedBy("deny", call(other), undefined, presets.codex.namesServers).decided).toBe(false);
  });

  it("is rejected where its input is too long for a person to see", () => {
    const now = newTurn();
    takeUpdate(now, {
      sessionUpdate: "tool_call",
      toolCallId: "t",
      rawInput: { command: `true; ${"#".repeat(30_000)}; rm` },
    });
    const asked = askedBy("ask", { toolCall: { toolCallId: "t" }, options }, now.calls.get("t"));
    expect(asked.decided).toBe(false);
  });

  const asks = (toolCall: Message) => ({
    ask: { method: "session/request_permission", params: { toolCall, options } },
  });
  it.each([
    [
      "the command alone",
      { kind: "execute", title: "Run it", rawInput: { command: "rm -r build", description: "Clean" } },
      { tool: "execute", title: "Run it", command: "rm -r build" },
    ],
    [
      "all of an input that has more than a command",
      { kind: "execute", rawInput: { command: "make", env: { LD_PRELOAD: "x.so" } } },
      { command: expect.stringContaining('"LD_PRELOAD": "x.so"') },
    ],
    [
      "an argument vector with its quotes",
      { kind: "execute", rawInput: { command: ["sh", "-c", "echo a b"] } },
      { command: "sh -c 'echo a b'" },
    ],
    [
      "a change by its lines",
      {
        kind: "edit",
        content: [
          { type: "diff", path: "/w/a", oldText: "1\n2\n3\n4\n5\n6\n", newText: "1\n2\n3\n4\nV\n6\n" },
        ],
        rawInput: { content: "V" },
      },
      { path: "/w/a", diff: " 2\n 3\n 4\n-5\n+V\n 6" },
    ],
  ])("shows a person %s", async (_what, toolCall, request) => {
    const asked: unknown[] = [];
    await run(
      { "session/prompt": [asks(toolCall), text("Done."), turn()] },
      {
        config: { permissions: "ask" },
        askPermission: async (one) => {
          asked.push(one);
          return { allow: true };
        },
      },
    );
    expect(asked).toEqual([expect.objectContaining(request)]);
    expect(received().at(-1)).toMatchObject({ id: 101, result: selected("allow_once") });
  });

  it("is rejected once where a person says no, and the log has the reason", async () => {
    const { system } = await run(
      { "session/prompt": [asks({ kind: "execute", title: "rm" }), text("Well."), turn()] },
      {
        config: { permissions: "ask" },
        askPermission: async () => ({ allow: false, message: "A person did not allow it: not today" }),
      },
    );
    expect(received().at(-1)).toMatchObject({ id: 101, result: selected("reject_once") });
    expect(system).toContain('Permission for "rm": refused (ask): A person did not allow it: not today');
  });

  it("is rejected where nobody can be asked", async () => {
    await run(
      { "session/prompt": [asks({ kind: "execute" }), text("Well."), turn()] },
      { config: { permissions: "ask" } },
    );
    expect(received().at(-1)).toMatchObject({ id: 101, result: selected("reject_once") });
  });

  it("takes what it does not repeat from the tool call, and the log shows the decision", async () => {
    const { result, system } = await run(
      {
        "session/prompt": [
          { update: { sessionUpdate: "tool_call", toolCallId: "t", title: "Write a.ts", kind: "edit" } },
          {
            ask: { method: "session/request_permission", params: { toolCall: { toolCallId: "t" }, options } },
          },
          text("Done."),
          turn(),
        ],
      },
      { config: { permissions: "allow_edits" } },
    );
    expect(received().at(-1)).toMatchObject({ id: 101, result: selected("allow_once") });
    expect(system).toContain('Permission for "Write a.ts": allowed (allow_edits).');
    expect(result.exitCode).toBe(0);
  });
});

describe("a turn that fails", () => {
  it.each([
    ["cancelled", { errorCode: "cancelled" }],
    ["refusal", { errorCode: "model_refusal", errorFamily: "model_refusal" }],
    ["max_turn_requests", { errorCode: "max_turns_exhausted" }],
    ["max_tokens", { errorCode: "adapter_failed" }],
  ])("by its stop reason %s is a failure", async (stopReason, expected) => {
    const { result } = await run({ "session/prompt": [text("So far."), turn(stopReason)] });
    expect(result).toMatchObject({ ...expected, errorMessage: expect.any(String) });
  });

  it("and looks like a success is recognised by the agent's marks", async () => {
    const systemError = {
      sessionUpdate: "session_info_update",
      _meta: { codex: { threadStatus: { type: "systemError" } } },
    };
    const codex = await run({
      "session/prompt": [
        text("You've hit your usage limit. Try again at 5:37 AM."),
        { update: systemError },
        turn("end_turn", { usage: null }),
      ],
    });
    expect(codex.result).toMatchObject({ errorFamily: "provider_quota", retryNotBefore: expect.any(String) });
    const copilot = await run(
      {
        "session/prompt": [
          text("Info: Request failed. Retrying..."),
          text("Error: 503 Service Unavailable"),
          turn("end_turn", {}),
        ],
      },
      { config: { agent: "copilot" } },
    );
    expect(copilot.result).toMatchObject({ errorFamily: "transient_upstream" });
    const empty = await run({ "session/prompt": [turn("end_turn", {})] });
    expect(empty.result.errorMessage).toMatch(/without a word/);
  });

  it.each([
    [
      {
        code: -32603,
        message: "Internal error",
        data: { errorKind: "rate_limit", details: "You've hit your 5-hour limit · resets 5:38am (UTC)" },
      },
      { errorFamily: "provider_quota", retryNotBefore: expect.stringMatching(/T05:38:00/) },
    ],
    [
      { code: -32603, message: "Internal error", data: { errorKind: "server_error" } },
      { errorFamily: "transient_upstream" },
    ],
    [{ code: -32603, message: "401 Incorrect API key" }, { errorFamily: "sign_in_required" }],
    [{ code: 401, message: "no" }, { errorFamily: "sign_in_required" }],
    [
      { code: -32603, message: "Something odd" },
      { errorCode: "adapter_failed", errorMessage: "Something odd" },
    ],
  ])("by the error %j has its family", async (error, expected) => {
    const { result } = await run({ "session/prompt": [{ error }] });
    expect(result).toMatchObject({ ...expected, errorMessage: expect.any(String) });
  });

  it("because nobody is signed in says the ways to sign in", async () => {
    const authMethods = [{ id: "oauth", name: "Log in with Lighthouse" }, { id: "key" }];
    const { result } = await run({
      initialize: capable({}, { authMethods }),
      "session/new": [{ error: { code: -32000, message: "Authentication required" } }],
    });
    expect(result).toMatchObject({ errorCode: "sign_in_required", errorFamily: "sign_in_required" });
    expect(result.errorMessage).toContain("It offers: Log in with Lighthouse, key.");
  });
});

describe("what the service keeps of a turn", () => {
  it("is little, however much an agent says of its tool calls and its usage", () => {
    const now = newTurn();
    const much = "x".repeat(20_000);
    for (let n = 0; n < 300; n++) {
      const messages = {
        title: much,
        name: much,
        kind: much,
        _meta: { [`${n}`]: { toolName: much, more: much } },
      };
      takeUpdate(now, { sessionUpdate: "tool_call", toolCallId: `${n}`, ...messages });
      takeUpdate(now, { sessionUpdate: "tool_call", toolCallId: `${n}${much}`, ...messages });
      takeUpdate(now, { sessionUpdate: "agent_message_chunk", _meta: { usage: { [`${n}${much}`]: n } } });
    }
    expect(JSON.stringify([[...now.calls], now.usageByRequest]).length).toBeLessThan(300_000);
  });
});

describe("the usage of a turn", () => {
  const usage = { inputTokens: 100, outputTokens: 20, cachedReadTokens: 30, cachedWriteTokens: 3 };
  it.each([
    ["claude", { usage }, { inputTokens: 103, cachedInputTokens: 30, outputTokens: 20 }],
    ["copilot", { usage }, { inputTokens: 73, cachedInputTokens: 30, outputTokens: 20 }],
    [
      "gemini",
      { _meta: { quota: { token_count: { input_tokens: 9, output_tokens: 4 } } } },
      { inputTokens: 9, cachedInputTokens: 0, outputTokens: 4 },
    ],
    ["codex", { usage: null }, null],
  ] as const)("is read as %s reports it", (name, answer, expected) => {
    expect(usageOf(newTurn(), answer, presets[name])).toEqual(expected);
  });

  it("is added up where it is reported by request", () => {
    const now = newTurn();
    for (const inputTokens of [10, 20])
      takeUpdate(now, {
        sessionUpdate: "agent_message_chunk",
        _meta: { usage: { inputTokens, outputTokens: 1, cachedReadTokens: 5 } },
      });
    expect(usageOf(now, {}, presets.qwen)).toEqual({
      inputTokens: 20,
      cachedInputTokens: 10,
      outputTokens: 2,
    });
  });
});

const entriesOf = (stdout: string) => {
  const parser = createStdoutParser();
  return stdout.split("\n").flatMap((line) => parser.parseLine(line, "t"));
};

describe("the transcript", () => {
  it("joins texts, shows each tool call once with its input and output, and what it does not know as it is", async () => {
    const call = (more: Message) => ({ update: { toolCallId: "t", ...more } });
    const { stdout } = await run({
      initialize: [{ raw: "Starting up...\n" }, ...capable({})],
      "session/prompt": [
        { update: { sessionUpdate: "agent_thought_chunk", content: { text: "Hm" } } },
        { update: { sessionUpdate: "agent_thought_chunk", content: { text: "m." } } },
        text("I wri"),
        text("te."),
        call({ sessionUpdate: "tool_call", status: "pending", title: "edit", kind: "edit", rawInput: {} }),
        call({
          sessionUpdate: "tool_call_update",
          status: "in_progress",
          title: "Edit a",
          rawInput: { path: "a" },
        }),
        call({
          sessionUpdate: "tool_call_update",
          status: "completed",
          content: [{ type: "diff", path: "a", oldText: "1", newText: "2" }],
        }),
        { update: { sessionUpdate: "plan", entries: [{ content: "Write", status: "completed" }] } },
        { update: { sessionUpdate: "from_the_future" } },
        text("Done."),
        turn(),
      ],
    });
    expect(entriesOf(stdout)).toEqual([
      { kind: "stdout", ts: "t", text: "Starting up..." },
      { kind: "thinking", ts: "t", text: "Hmm." },
      { kind: "assistant", ts: "t", text: "I write." },
      { kind: "tool_call", ts: "t", name: "Edit a", input: { path: "a" }, toolUseId: "t" },
      { kind: "tool_result", ts: "t", toolUseId: "t", content: "a\n- 1\n+ 2\n", isError: false },
      { kind: "system", ts: "t", text: "Plan\n[x] Write" },
      { kind: "stdout", ts: "t", text: '{"sessionUpdate":"from_the_future"}' },
      { kind: "assistant", ts: "t", text: "Done." },
      expect.objectContaining({ kind: "result", inputTokens: 5, outputTokens: 3, isError: false }),
    ]);
  });
});

describe("the test of the environment", () => {
  const codes = async (run: AdapterRun) =>
    (await testAdapterEnvironment(run)).checks.map(({ level, code }) => [level, code]);
  const usual = [
    ["info", "acp_cwd_valid"],
    ["info", "acp_command_resolvable"],
  ];

  it("opens a session and asks for a word", async () => {
    const plan = { "session/prompt": [text("hello"), turn()] };
    expect(await codes(started(plan))).toEqual([
      ...usual,
      ["info", "acp_session_opened"],
      ["info", "acp_hello_probe_passed"],
    ]);
  });

  it("says that nobody is signed in, and how to", async () => {
    const error = { code: -32000, message: "Authentication required" };
    const plan = { "session/new": [{ error }] };
    expect(await codes(started(plan))).toEqual([...usual, ["error", "acp_hello_probe_auth_required"]]);
  });

  it("says what is missing", async () => {
    const { checks, status } = await testAdapterEnvironment(
      started({}, { config: { agent: "gemini", command: "no-such-agent" } }),
    );
    expect(status).toBe("fail");
    expect(checks.find(({ level }) => level === "error")).toMatchObject({
      code: "acp_command_unresolvable",
      hint: expect.stringContaining("npm install -g @google/gemini-cli"),
    });
    expect(await codes(started({}, { config: { command: "" } }))).toEqual([
      ["info", "acp_cwd_valid"],
      ["error", "acp_config_invalid"],
    ]);
  });

  it("says why a runner does not start the program", async () => {
    const real = started({});
    const refusing = {
      ...real,
      runProcess: async (spec: {
        readonly onInput?: unknown;
        readonly onStdoutLine?: (line: string) => unknown;
      }) => ({
        exitCode: 0,
        signal: null,
        timedOut: false,
        stopped: false,
        endedAfterResult: false,
        stderrTail: "",
        ...(spec.onInput === undefined ? {} : { startError: "Its node is away." }),
      }),
    };
    const { checks } = await testAdapterEnvironment(refusing);
    expect(checks.at(-1)).toMatchObject({
      level: "error",
      code: "acp_not_started",
      message: "Its node is away.",
    });
  });
});
