import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { createServerAdapter as acp } from "../../plugins/acp/src/server.ts";
import { createServerAdapter as claude } from "../../plugins/adapter-a-local/src/server.ts";
import { createServerAdapter as codex } from "../../plugins/adapter-b-local/src/server.ts";
import { createServerAdapter as opencode } from "../../plugins/adapter-c-local/src/server.ts";
import type { ProcessOutcome, ProcessSpec } from "../../ports/agent-adapter.ts";
import { runAdapter } from "../support/run-adapter.ts";

const adapters = {
  claude: { make: claude, config: {} },
  codex: { make: codex, config: {} },
  opencode: { make: opencode, config: { model: "a/b" } },
  acp: { make: acp, config: { agent: "gemini" } },
};
type Program = keyof typeof adapters;
const programs = Object.keys(adapters) as readonly Program[];

const left = { signal: null, timedOut: false, stopped: false, endedAfterResult: false, stderrTail: "" };
const exits: Partial<ProcessOutcome> = { exitCode: 1 };
const hangs: Partial<ProcessOutcome> = { exitCode: null, signal: "SIGTERM", silent: true };

/** Runs the adapter with a program that prints these events and ends so. */
const ended = async (program: Program, outcome: Partial<ProcessOutcome>, events: readonly object[] = []) => {
  const { make, config } = adapters[program];
  const runProcess = async (spec: ProcessSpec) => {
    for (const event of events) spec.onStdoutLine?.(JSON.stringify(event));
    return { exitCode: 0, ...left, ...outcome };
  };
  return (await runAdapter({ adapter: make(), cwd: tmpdir(), runProcess, config })).result;
};

const refusals = [
  "Error: 429 Too Many Requests",
  "error: unexpected status 429 Too Many Requests",
  "AI_APICallError: slow down\n    statusCode: 429,\n    isRetryable: true\n}",
  "Request rejected (429)",
  'fatal: {"error":{"code":"rate_limit_exceeded"}}',
  "HTTP 429\n    at send (client.js:3:1)\n\nNode.js v20.11.0",
];
const others = [
  "TypeError: x is not a function\n    at parse (stream.ts:429:12)",
  "Error: no module rate-limiter",
  "Error: 429 Too Many Requests\nError: the disk is full",
  "Error: 401 Unauthorized: invalid api key (after status 429)",
  "",
];

describe("A program that ends without the end of its turn", () => {
  it.each(programs.flatMap((program) => refusals.map((text) => [program, text] as const)))(
    "has met a quota if its last words are of 429: %s, %j",
    async (program, stderrTail) => {
      for (const end of [exits, hangs])
        expect(await ended(program, { ...end, stderrTail })).toMatchObject({
          errorCode: "provider_quota",
          errorFamily: "provider_quota",
        });
    },
  );

  it.each(programs.flatMap((program) => others.map((text) => [program, text] as const)))(
    "has met none if they are of another cause: %s, %j",
    async (program, stderrTail) => {
      for (const end of [exits, hangs]) {
        const { errorCode, errorFamily } = await ended(program, { ...end, stderrTail });
        expect(errorCode).toBeDefined();
        expect(errorFamily).not.toBe("provider_quota");
      }
    },
  );

  it.each(programs)("waits until the time that they name: %s", async (program) => {
    const { retryNotBefore } = await ended(program, {
      ...exits,
      stderrTail: "429 Too Many Requests, try again in 2 hours",
    });
    expect(Date.parse(retryNotBefore ?? "") - Date.now()).toBeGreaterThan(3_600_000);
  });
});

const assistantMessage = (text: string, more: object = {}) => ({
  type: "assistant",
  message: { id: text, content: [{ type: "text", text }] },
  ...more,
});
const retry = { type: "system", subtype: "api_retry", attempt: 9, error_status: 429, error: "rate_limit" };
const reconnects = {
  type: "error",
  message: "Reconnecting... 5/5 (unexpected status 429 Too Many Requests)",
};
const works = { type: "item.completed", item: { id: "i", type: "agent_message", text: "I go on." } };
const warns = { type: "item.completed", item: { id: "i", type: "error", message: "Slow." } };
const refused = { type: "turn.failed", error: { message: "exceeded retry limit, last status: 429" } };
const apiError = {
  type: "error",
  error: { name: "APIError", data: { message: "slow down", statusCode: 429 } },
};
const failedResult = {
  type: "result",
  subtype: "success",
  is_error: true,
  result: "API Error: 429",
  api_error_status: 429,
};

describe("A 429 in what a program reports", () => {
  it.each<[string, Program, readonly object[], string]>([
    ["a last attempt", "claude", [retry], "provider_quota"],
    [
      "a last message",
      "claude",
      [assistantMessage("API Error: Request rejected (429)", { error: "rate_limit" })],
      "provider_quota",
    ],
    ["an attempt before work", "claude", [retry, assistantMessage("I go on.")], "adapter_failed"],
    ["the end of the turn", "claude", [retry, failedResult], "transient_upstream"],
    ["a last attempt", "codex", [reconnects], "provider_quota"],
    ["a last attempt with a warning", "codex", [reconnects, warns], "provider_quota"],
    ["an attempt before work", "codex", [reconnects, works], "transient_upstream"],
    ["the end of the turn", "codex", [refused], "transient_upstream"],
    ["the end of the turn", "opencode", [apiError], "transient_upstream"],
  ])("as %s, is judged so: %s %j", async (_what, program, events, errorCode) => {
    for (const end of [exits, hangs]) expect(await ended(program, end, events)).toMatchObject({ errorCode });
  });
});
