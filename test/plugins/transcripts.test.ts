import { describe, expect, it } from "vitest";
import { createStdoutParser as acpParser } from "../../plugins/acp/src/ui-parser.ts";
import { parseStdoutLine as claude } from "../../plugins/adapter-a-local/src/ui-parser.ts";
import { createStdoutParser as codexParser } from "../../plugins/adapter-b-local/src/ui-parser.ts";
import { parseStdoutLine as opencode } from "../../plugins/adapter-c-local/src/ui-parser.ts";
import type { TranscriptEntry } from "../../plugins/kit/transcript.ts";

type Parse = (line: string, ts: string) => readonly TranscriptEntry[];

const ts = "2026-11-21T12:00:00.000Z";
const codex: Parse = (line, at) => codexParser().parseLine(line, at);
const acp: Parse = (line, at) => acpParser().parseLine(line, at);
const shown = (parse: Parse, event: object) =>
  parse(JSON.stringify(event), ts).map(({ ts: _, ...entry }) => entry);

const picture = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(4096) },
};
/** An address that never comes to its data. */
const endlessPicture = { type: "image", source: { type: "url", url: `data:${"a".repeat(500_000)}` } };
const mcpPicture = { type: "image", mimeType: "image/png", data: "A".repeat(4096) };
const pictureText = "[Picture: image/png, 3 KiB]";

const assistant = (block: object, more: object = {}) => ({
  type: "assistant",
  message: { content: [block] },
  ...more,
});
const user = (block: object, more: object = {}) => ({ type: "user", message: { content: [block] }, ...more });
const system = (subtype: string, more: object = {}) => ({
  type: "system",
  subtype,
  uuid: "u",
  session_id: "s",
  ...more,
});
const item = (fields: object) => ({ type: "item.completed", item: { id: "i", ...fields } });
const appItem = (fields: object) => ({
  method: "item/completed",
  params: { threadId: "t", item: { id: "i", ...fields } },
});
const update = (fields: object) => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId: "s", update: { sessionUpdate: "tool_call_update", toolCallId: "t", ...fields } },
});

const content = (entries: readonly object[]) =>
  entries.flatMap((entry) => ("content" in entry ? [entry] : []));

describe("entries of a sub-agent carry the call that started it", () => {
  const of = { parent_tool_use_id: "agent" };
  const meta = { _meta: { claudeCode: { parentToolUseId: "agent", toolName: "Bash" } } };
  it.each<[string, Parse, object]>([
    ["claude: a text", claude, assistant({ type: "text", text: "a" }, of)],
    ["claude: a call", claude, assistant({ type: "tool_use", id: "t", name: "Bash", input: {} }, of)],
    ["claude: a result", claude, user({ type: "tool_result", tool_use_id: "t", content: "a" }, of)],
    ["claude: its prompt", claude, { type: "user", message: { content: "Look" }, ...of }],
    [
      "claude: a background task",
      claude,
      system("task_started", { task_id: "1", tool_use_id: "agent", description: "Look" }),
    ],
    ["acp: a call and its result", acp, update({ status: "completed", title: "ls", ...meta })],
  ])("%s", (_what, parse, event) => {
    const entries = shown(parse, event);
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) expect(entry).toMatchObject({ parentToolUseId: "agent" });
  });

  /** Recorded of codex 0.169.0: the thread of each message, and what it said. */
  const message = (method: string, threadId: string, fields: object) => ({
    method,
    params: { threadId, turnId: `turn-${threadId}`, ...fields },
  });
  const itemOf = (threadId: string, fields: object) => [
    message("item/started", threadId, { item: { id: "i", status: "inProgress", ...fields } }),
    message("item/completed", threadId, { item: { id: "i", status: "completed", ...fields } }),
  ];
  const command = (id: string) => ({
    type: "commandExecution",
    id,
    command: "ls",
    aggregatedOutput: "a",
    exitCode: 0,
  });
  const spawned = (threadId: string, receiver: string, id: string) => [
    message("item/started", threadId, {
      item: {
        type: "collabAgentToolCall",
        id,
        tool: "spawnAgent",
        receiverThreadIds: [],
        prompt: "Look",
        agentsStates: {},
      },
    }),
    message("item/completed", threadId, {
      item: {
        type: "collabAgentToolCall",
        id,
        tool: "spawnAgent",
        status: "completed",
        receiverThreadIds: [receiver],
        prompt: "Look",
        agentsStates: { [receiver]: { status: "pendingInit", message: null } },
      },
    }),
  ];
  const activity = (threadId: string, agentThreadId: string, id: string) =>
    itemOf(threadId, {
      type: "subAgentActivity",
      id,
      kind: "started",
      agentThreadId,
      agentPath: "/root/one",
    });
  const turnEnd = (threadId: string, status = "completed") =>
    message("turn/completed", threadId, {
      turn: { status, error: status === "failed" ? { message: "Full." } : null },
    });

  it.each([
    ["of the first implementation", spawned],
    ["of the second", activity],
  ])("codex app-server: sub-agents %s, and theirs", (_what, spawn) => {
    const lines = [
      { id: 2, result: { thread: { id: "t" } } },
      ...spawn("t", "child", "call-1"),
      ...itemOf("child", command("c1")),
      ...spawn("child", "grandchild", "call-2"),
      ...itemOf("grandchild", { type: "agentMessage", id: "m1", text: "Found." }),
      turnEnd("grandchild"),
      turnEnd("child", "failed"),
      ...itemOf("unseen", { type: "agentMessage", id: "m2", text: "Reviewed." }),
      ...itemOf("t", command("c2")),
      turnEnd("t"),
    ];
    const { parseLine } = codexParser();
    const entries = lines
      .flatMap((line) => parseLine(JSON.stringify(line), ts))
      .map(({ kind, parentToolUseId = null }) => `${kind} of ${parentToolUseId}`)
      .filter((entry) => entry !== "init of null");
    const spawnedBy = (parent: string | null) =>
      spawn === spawned ? [`tool_call of ${parent}`, `tool_result of ${parent}`] : [`tool_call of ${parent}`];
    expect(entries).toEqual([
      ...spawnedBy(null),
      "tool_call of call-1",
      "tool_result of call-1",
      ...spawnedBy("call-1"),
      "assistant of call-2",
      "stderr of call-1",
      "assistant of unseen",
      "tool_call of null",
      "tool_result of null",
      "result of null",
    ]);
  });

  it("acp: texts of two agents are not joined", () => {
    const { parseLine } = acpParser();
    const chunk = (text: string, more: object = {}) =>
      JSON.stringify(
        update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...more }),
      );
    const lines = [chunk("a"), chunk("b", meta), chunk("c", meta), chunk("d")];
    const end = JSON.stringify({ jsonrpc: "2.0", id: 7, result: { stopReason: "end_turn" } });
    const texts = [...lines, end].flatMap((line) => parseLine(line, ts)).slice(0, 3);
    expect(texts).toEqual([
      { kind: "assistant", ts, text: "a" },
      { kind: "assistant", ts, text: "bc", parentToolUseId: "agent" },
      { kind: "assistant", ts, text: "d" },
    ]);
  });

  it("the agent's own entries carry none", () => {
    const [entry] = shown(claude, assistant({ type: "text", text: "a" }, { parent_tool_use_id: null }));
    expect(entry).not.toHaveProperty("parentToolUseId");
  });
});

describe("a tool that failed shows why", () => {
  const error = { message: "No such issue." };
  const mcp = { type: "mcp_tool_call", server: "s", tool: "read", arguments: {}, result: null };
  const parts = [{ type: "text", text: "No such issue." }];
  it.each<[string, Parse, object]>([
    ["codex: an error", codex, item({ ...mcp, error, status: "failed" })],
    ["codex: a result", codex, item({ ...mcp, result: { content: parts }, error: null, status: "failed" })],
    ["codex app-server", codex, appItem({ ...mcp, type: "mcpToolCall", error, status: "failed" })],
    [
      "codex app-server: a tool of the client",
      codex,
      appItem({
        type: "dynamicToolCall",
        tool: "x",
        contentItems: [{ type: "inputText", text: "No such issue." }],
        success: false,
      }),
    ],
    ["claude", claude, user({ type: "tool_result", tool_use_id: "t", content: parts, is_error: true })],
    [
      "claude: of the provider",
      claude,
      assistant({ type: "mcp_tool_result", tool_use_id: "t", content: parts, is_error: true }),
    ],
    [
      "opencode",
      opencode,
      {
        type: "tool_use",
        part: { tool: "x", callID: "t", state: { status: "error", error: "No such issue." } },
      },
    ],
    [
      "acp: content",
      acp,
      update({ status: "failed", content: parts.map((part) => ({ type: "content", content: part })) }),
    ],
    ["acp: raw content", acp, update({ status: "failed", rawOutput: { content: parts, isError: true } })],
    ["acp: a raw list", acp, update({ status: "failed", rawOutput: parts })],
    ["acp: a raw error", acp, update({ status: "failed", rawOutput: { error } })],
  ])("%s", (_what, parse, event) => {
    expect(content(shown(parse, event))).toMatchObject([
      { kind: "tool_result", content: "No such issue.", isError: true },
    ]);
  });
});

describe("what was declined has not succeeded", () => {
  const declined = { status: "declined" };
  const changes = [{ path: "a", kind: "update" }];
  it.each<[string, Parse, object]>([
    ["a command of codex", codex, item({ type: "command_execution", aggregated_output: "", ...declined })],
    ["a change of codex", codex, item({ type: "file_change", changes, ...declined })],
    ["a tool of codex", codex, item({ type: "mcp_tool_call", tool: "x", ...declined })],
    ["a command of app-server", codex, appItem({ type: "commandExecution", ...declined })],
    [
      "a change of app-server",
      codex,
      appItem({ type: "fileChange", changes: [{ path: "a", kind: { type: "update" } }], ...declined }),
    ],
    ["a command over acp", acp, update({ status: "completed", rawOutput: declined })],
  ])("%s", (_what, parse, event) => {
    expect(content(shown(parse, event))).toMatchObject([{ isError: true }]);
  });
});

describe("what is no text is named", () => {
  const result = (of: readonly object[]) => ({ type: "mcp_tool_call", tool: "x", result: { content: of } });
  it.each<[string, Parse, object, string]>([
    [
      "a picture whose address never comes to its data",
      claude,
      user({ type: "tool_result", tool_use_id: "t", content: [endlessPicture] }),
      `[Picture: ${endlessPicture.source.url}]`,
    ],
    ["claude", claude, user({ type: "tool_result", tool_use_id: "t", content: [picture] }), pictureText],
    ["codex", codex, item(result([{ type: "text", text: "a" }, mcpPicture])), `a\n${pictureText}`],
    [
      "opencode",
      opencode,
      {
        type: "tool_use",
        part: {
          tool: "x",
          callID: "t",
          state: {
            status: "completed",
            output: "a",
            attachments: [
              { type: "file", mime: "image/png", url: `data:image/png;base64,${"A".repeat(4096)}` },
            ],
          },
        },
      },
      `a\n${pictureText}`,
    ],
    [
      "acp",
      acp,
      update({ status: "completed", content: [{ type: "content", content: mcpPicture }] }),
      pictureText,
    ],
    [
      "a link",
      codex,
      item(result([{ type: "resource_link", name: "Log", uri: "file:///log" }])),
      "Log file:///log",
    ],
    [
      "a resource",
      codex,
      item(result([{ type: "resource", resource: { uri: "file:///a", text: "A" } }])),
      "A",
    ],
    ["a sound", codex, item(result([{ type: "audio", mimeType: "audio/wav" }])), "[Sound: audio/wav]"],
  ])("in a result: %s", (_what, parse, event, text) => {
    expect(content(shown(parse, event))).toMatchObject([{ content: text }]);
  });

  it.each<[string, object, object]>([
    ["a picture of a person", user(picture), { kind: "user", text: pictureText }],
    [
      "redacted thinking",
      assistant({ type: "redacted_thinking", data: "Eo8" }),
      { kind: "thinking", text: "[The provider does not show this thinking.]" },
    ],
    [
      "thinking without its text",
      assistant({ type: "thinking", thinking: "", signature: "Eo8" }),
      { kind: "thinking", text: "[The provider does not show this thinking.]" },
    ],
    [
      "a tool of the provider",
      assistant({ type: "server_tool_use", id: "w", name: "web_search", input: { query: "x" } }),
      { kind: "tool_call", name: "web_search", input: { query: "x" }, toolUseId: "w" },
    ],
    [
      "what it found",
      assistant({
        type: "web_search_tool_result",
        tool_use_id: "w",
        content: [
          { type: "web_search_result", title: "X", url: "https://x.example", encrypted_content: "E" },
        ],
      }),
      { kind: "tool_result", toolUseId: "w", content: "X https://x.example", isError: false },
    ],
    [
      "why it failed",
      assistant({
        type: "web_search_tool_result",
        tool_use_id: "w",
        content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
      }),
      { kind: "tool_result", toolUseId: "w", content: "max_uses_exceeded", isError: true },
    ],
    [
      "a program of the provider",
      assistant({
        type: "bash_code_execution_tool_result",
        tool_use_id: "w",
        content: { type: "bash_code_execution_result", stdout: "a", stderr: "b", return_code: 0 },
      }),
      { kind: "tool_result", toolUseId: "w", content: "a\nb", isError: false },
    ],
    ["a block to come", assistant({ type: "hologram" }), { kind: "assistant", text: "[hologram]" }],
  ])("%s", (_what, event, entry) => {
    expect(shown(claude, event)).toEqual([entry]);
  });
});

describe("an event about the program itself is a sentence or nothing, never JSON", () => {
  it.each<[string, Parse, object, readonly string[]]>([
    [
      "a hook that failed",
      claude,
      system("hook_response", {
        hook_id: "h",
        hook_name: "PostToolUse:Edit",
        hook_event: "PostToolUse",
        output: "",
        stdout: "",
        stderr: "eslint not found",
        exit_code: 2,
        outcome: "error",
      }),
      ["Hook PostToolUse:Edit failed (exit code 2): eslint not found"],
    ],
    [
      "a hook",
      claude,
      system("hook_response", { hook_name: "SessionStart:startup", outcome: "success", exit_code: 0 }),
      ["Hook SessionStart:startup succeeded"],
    ],
    ["a hook that begins", claude, system("hook_started", { hook_name: "x" }), []],
    ["output of a hook", claude, system("hook_progress", { hook_name: "x", output: "a" }), []],
    [
      "a task",
      claude,
      system("task_started", { task_id: "1", description: "Survey", task_type: "local_agent" }),
      ["Background task started: Survey"],
    ],
    ["its progress", claude, system("task_progress", { task_id: "1", description: "Survey" }), []],
    ["its state", claude, system("task_updated", { task_id: "1", patch: { status: "completed" } }), []],
    [
      "its error",
      claude,
      system("task_updated", { task_id: "1", patch: { status: "failed", error: "crash" } }),
      ["Background task failed: crash"],
    ],
    [
      "its end",
      claude,
      system("task_notification", { task_id: "1", status: "completed", summary: "Three found" }),
      ["Background task completed: Three found"],
    ],
    [
      "a limit reached",
      claude,
      {
        type: "rate_limit_event",
        rate_limit_info: { status: "rejected", rateLimitType: "five_hour", resetsAt: 1_763_712_000 },
      },
      ["Usage limit reached: five hour, resets at 2025-11-21T08:00:00.000Z"],
    ],
    [
      "a limit that is near",
      claude,
      {
        type: "rate_limit_event",
        rate_limit_info: { status: "allowed_warning", rateLimitType: "seven_day", utilization: 0.82 },
      },
      ["Usage limit is near: seven day, 82 % used"],
    ],
    ["a limit", claude, { type: "rate_limit_event", rate_limit_info: { status: "allowed" } }, []],
    [
      "a repetition",
      claude,
      system("api_retry", {
        attempt: 2,
        max_retries: 10,
        retry_delay_ms: 4000,
        error_status: 429,
        error: "rate_limit",
      }),
      ["Request to the model fails, attempt 2 of 10 in 4 s: 429 rate_limit"],
    ],
    [
      "a permission",
      claude,
      system("permission_denied", { tool_name: "Bash", message: "A rule forbids it." }),
      ["Permission denied for Bash: A rule forbids it."],
    ],
    ["a compaction", claude, system("compact_boundary", { compact_metadata: {} }), ["History compacted"]],
    ["a state", claude, system("status", { status: null }), []],
    ["one to come", claude, system("weather_report", { message: "Rain" }), ["weather report: Rain"]],
    ["one to come without a text", claude, system("weather_report"), ["weather report"]],
    ["progress of a tool", claude, { type: "tool_progress", tool_name: "Bash" }, []],
    ["a plan of codex", codex, item({ type: "todo_list", items: [] }), []],
    [
      "a plan of codex that changes",
      codex,
      { type: "item.updated", item: { id: "i", type: "todo_list", items: [{ text: "a", completed: true }] } },
      ["Plan\n[x] a"],
    ],
    ["a notification", codex, { method: "item/agentMessage/delta", params: { delta: "a" } }, []],
    ["limits of app-server", codex, { method: "account/rateLimits/updated", params: { rateLimits: {} } }, []],
    ["tokens of app-server", codex, { method: "thread/tokenUsage/updated", params: {} }, []],
    ["a hook of app-server", codex, { method: "hook/completed", params: { run: {} } }, []],
    ["a compaction of app-server", codex, appItem({ type: "contextCompaction" }), ["History compacted"]],
    [
      "an extension of acp",
      acp,
      { jsonrpc: "2.0", method: "_claude/sdkMessage", params: { message: system("hook_started") } },
      [],
    ],
  ])("%s", (_what, parse, event, texts) => {
    const entries = shown(parse, event);
    expect(entries.map((entry) => ("text" in entry ? entry.text : entry))).toEqual(texts);
    for (const { kind } of entries) expect(kind).toBe("system");
  });

  it("agents that codex starts are calls with what they answered", () => {
    const call = {
      type: "collab_tool_call",
      tool: "wait",
      receiver_thread_ids: ["b"],
      agents_states: { b: { status: "completed", message: "Found." } },
      status: "completed",
    };
    expect(shown(codex, item(call))).toEqual([
      { kind: "tool_result", toolUseId: "i", content: "completed: Found.", isError: false },
    ]);
  });
});
