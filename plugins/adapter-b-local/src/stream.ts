import type { TokenUsage } from "../../../ports/agent-adapter.ts";
import { asCount, asObject, asText, parseObject } from "../../kit/json.ts";

/** What a run of the program has said so far. */
export interface CodexStream {
  sessionId: string | null;
  /** What the agent said last. */
  lastMessage: string | null;
  /** The program's own words for what went wrong; a turn that completes takes them back. */
  error: string | null;
  completed: boolean;
  failed: boolean;
  /** Of the whole session so far, earlier runs included. */
  usage: TokenUsage | null;
}

export const newStream = (): CodexStream => ({
  sessionId: null,
  lastMessage: null,
  error: null,
  completed: false,
  failed: false,
  usage: null,
});

/** Characters of the agent's last message kept for a summary. */
const maxMessage = 16_000;

/** Takes in a line; true when nothing more is needed of the program. Lines that are no event of it mean nothing. */
export const takeLine = (stream: CodexStream, line: string): boolean => {
  const event = parseObject(line);
  if (event === null) return false;
  switch (event.type) {
    case "thread.started":
      if (asText(event.thread_id) !== "") stream.sessionId = asText(event.thread_id);
      return false;
    case "item.completed": {
      const item = asObject(event.item);
      // An item of type error is a warning, such as one of unknown model metadata: what fails says so in its own event.
      if (item?.type === "agent_message" && asText(item.text).trim() !== "")
        stream.lastMessage = asText(item.text).slice(0, maxMessage);
      return false;
    }
    case "error":
      // It may be "Reconnecting…": only a turn that fails, or the exit code, makes it a failure.
      stream.error = asText(event.message) || stream.error;
      return false;
    case "turn.failed":
      stream.failed = true;
      stream.error = asText(asObject(event.error)?.message) || stream.error;
      return true;
    case "turn.completed":
      stream.completed = true;
      stream.error = null;
      stream.usage = readUsage(event.usage);
      return true;
    default:
      return false;
  }
};

/** The provider counts what came from its cache among the input. */
const readUsage = (raw: unknown): TokenUsage => {
  const usage = asObject(raw) ?? {};
  const cached = asCount(usage.cached_input_tokens);
  return {
    inputTokens: Math.max(0, asCount(usage.input_tokens) - cached),
    outputTokens: asCount(usage.output_tokens),
    cachedInputTokens: cached,
  };
};
