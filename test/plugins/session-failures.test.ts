import { describe, expect, it } from "vitest";
import { classifyFailure as ofClaude } from "../../plugins/adapter-a-local/src/failures.ts";
import { newStream } from "../../plugins/adapter-a-local/src/stream.ts";
import { classifyFailure as ofCodex } from "../../plugins/adapter-b-local/src/failures.ts";
import { classifyFailure as ofOpencode } from "../../plugins/adapter-c-local/src/failures.ts";
import { classifyFailure as ofAcp } from "../../plugins/kit/acp/failures.ts";

const now = new Date("2026-11-28T12:00:00Z");

/** Sentences that the programs print, as their users reported them. */
const full = [
  "Prompt is too long",
  "API Error: 400 prompt is too long: 208310 tokens > 200000 maximum",
  "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens.",
  "Requested token count exceeds the model's maximum context length of 262144 tokens.",
  "stream error: context_length_exceeded",
  "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
  "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
];
const broken = [
  "API Error: 400 messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01",
  "messages.5.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_02. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
  "No tool output found for function call call_9.",
  'messages: roles must alternate between "user" and "assistant"',
  "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
  "messages.1.content.0: Invalid `signature` in `thinking` block",
];
const others = [
  "API Error: 529 Overloaded.",
  "The model reached its limit of tokens.",
  "connection refused",
  "Cannot read the file prompt.txt: it is too long a name",
];

const adapters = {
  claude: (message: string) => ofClaude(newStream(), message, now),
  codex: (message: string) => ofCodex(message, now),
  opencode: (message: string) => ofOpencode({ message }, now),
  acp: (message: string) => ofAcp({ program: "agent", message, signInHint: "" }, now),
};

describe.each(Object.entries(adapters))("A session of %s", (_, classify) => {
  it.each(full)("that is full is not continued: %s", (message) => {
    expect(classify(message)).toMatchObject({ errorCode: "session_full", clearSession: true });
  });
  it.each(broken)("that the provider refuses is not continued: %s", (message) => {
    expect(classify(message)).toMatchObject({ errorCode: "session_broken", clearSession: true });
  });
  it.each(others)("is continued after another failure: %s", (message) => {
    expect(classify(message).clearSession).toBeUndefined();
  });
});

it("A session of opencode is full by the name of its error", () => {
  const error = { name: "ContextOverflowError", message: "The conversation has outgrown the model." };
  expect(ofOpencode(error, now)).toMatchObject({ errorCode: "session_full", clearSession: true });
});
