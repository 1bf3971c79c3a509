import type { TokenUsage } from "../../../ports/agent-adapter.ts";
import type { Progress } from "../../kit/final-line.ts";
import { asCount, asObject, asText, type Json, parseObject } from "../../kit/json.ts";
import { eventOf } from "./app-server-events.ts";
import { newThreads, type Threads } from "./app-server-threads.ts";
import { usageSince } from "./session.ts";

/** The output of a run so far. */
export interface CodexStream {
  sessionId: string | null;
  /** The agent's last message. */
  lastMessage: string | null;
  /** The program's own error text; a completed turn clears it. */
  error: string | null;
  /** Nothing of the agent's work has come after the error. */
  errorIsLast: boolean;
  completed: boolean;
  failed: boolean;
  /** Usage of the whole session so far, earlier runs included. */
  usage: TokenUsage | null;
  /** Usage of sub-agents in this run, by their threads: the totals of a thread include earlier runs that used it. */
  readonly subAgents: Map<string, { readonly before: TokenUsage; readonly total: TokenUsage }>;
  readonly threads: Threads;
}

export const newStream = (): CodexStream => ({
  sessionId: null,
  lastMessage: null,
  error: null,
  errorIsLast: false,
  completed: false,
  failed: false,
  usage: null,
  subAgents: new Map(),
  threads: newThreads(),
});

/** Characters of the agent's last message kept for a summary. */
const maxMessage = 16_000;

/** Processes a line. Ignores lines that are no event. */
export const takeLine = (stream: CodexStream, line: string): Progress => {
  const message = parseObject(line);
  if (message === null) return null;
  stream.threads.note(message);
  const event = eventOf(message) ?? message;
  if (stream.threads.parentOf(message) !== null) {
    // Its end and its last message are not the run's.
    if (event.type === "thread.usage")
      recordSubAgent(stream, asText(asObject(message.params)?.threadId), event);
    return "working";
  }
  switch (event.type) {
    case "thread.started":
      if (asText(event.thread_id) !== "") stream.sessionId = asText(event.thread_id);
      return null;
    case "turn.started":
      // A turn after a failed one is judged by itself.
      stream.failed = false;
      stream.completed = false;
      return "working";
    case "item.started":
      stream.errorIsLast = false;
      return null;
    case "item.completed": {
      const item = asObject(event.item);
      if (item?.type !== "error") stream.errorIsLast = false;
      // An item of type error is a warning, such as one of unknown model metadata: a failure has its own event.
      if (item?.type === "agent_message" && asText(item.text).trim() !== "")
        stream.lastMessage = asText(item.text).slice(0, maxMessage);
      return "working";
    }
    case "error":
      // It may be "Reconnecting…": only a failed turn or the exit code makes it a failure.
      stream.error = asText(event.message) || stream.error;
      stream.errorIsLast = true;
      return null;
    case "turn.failed":
      stream.failed = true;
      stream.error = asText(asObject(event.error)?.message) || stream.error;
      return "done";
    case "turn.completed":
      stream.completed = true;
      stream.error = null;
      if (event.usage !== undefined) stream.usage = readUsage(event.usage);
      return "done";
    case "thread.usage":
      stream.usage = readUsage(event.usage);
      return null;
    default:
      return null;
  }
};

const recordSubAgent = ({ subAgents }: CodexStream, thread: string, { usage, last }: Json): void => {
  const total = readUsage(usage);
  const before = subAgents.get(thread)?.before ?? usageSince(total, readUsage(last));
  subAgents.set(thread, { before, total });
};

/** The provider includes cached tokens in the input. */
const readUsage = (raw: unknown): TokenUsage => {
  const usage = asObject(raw) ?? {};
  const cached = asCount(usage.cached_input_tokens);
  return {
    inputTokens: Math.max(0, asCount(usage.input_tokens) - cached),
    outputTokens: asCount(usage.output_tokens),
    cachedInputTokens: cached,
  };
};

/** The usage of a run with its sub-agents; null: none was told. `before` is the total of its session at its beginning. */
export const runUsage = ({ usage, subAgents }: CodexStream, before: TokenUsage | null): TokenUsage | null => {
  if (usage === null) return null;
  const all = [
    usageSince(usage, before),
    ...[...subAgents.values()].map((of) => usageSince(of.total, of.before)),
  ];
  const sum = (key: keyof TokenUsage) => all.reduce((total, each) => total + each[key], 0);
  return {
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cachedInputTokens: sum("cachedInputTokens"),
  };
};
