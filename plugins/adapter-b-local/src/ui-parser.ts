import { contentText } from "../../kit/content-text.ts";
import { asCount, asObject, asObjects, asText, type Json } from "../../kit/json.ts";
import { lineParser } from "../../kit/parse-lines.ts";
import type { TranscriptEntry } from "../../kit/transcript.ts";
import { eventOf } from "./app-server-events.ts";
import { newThreads } from "./app-server-threads.ts";

/** Returns null for an unknown event. */
const entriesOf = (line: Json, ts: string): TranscriptEntry[] | null => {
  const event = eventOf(line) ?? line;
  switch (event.type) {
    case "none":
    case "thread.usage":
      return [];
    case "thread.started":
      return [{ kind: "init", ts, model: "", sessionId: asText(event.thread_id) }];
    case "turn.started":
      return [];
    case "item.started":
    case "item.updated":
    case "item.completed":
      return itemEntries(asObject(event.item) ?? {}, {
        completed: event.type === "item.completed",
        started: event.type === "item.started",
        ts,
      });
    case "turn.completed":
      return [resultEntry(asObject(event.usage) ?? {}, null, ts)];
    case "turn.failed":
      return [resultEntry({}, asText(asObject(event.error)?.message), ts)];
    case "error":
      return [{ kind: "stderr", ts, text: asText(event.message) }];
    default:
      return null;
  }
};

interface Progress {
  readonly started: boolean;
  readonly completed: boolean;
  readonly ts: string;
}

const itemEntries = (item: Json, at: Progress): TranscriptEntry[] | null => {
  const { completed, ts } = at;
  const id = asText(item.id);
  switch (item.type) {
    case "agent_message":
      return completed ? [{ kind: "assistant", ts, text: asText(item.text) }] : [];
    case "reasoning":
      return completed ? [{ kind: "thinking", ts, text: asText(item.text) }] : [];
    case "error":
      return completed ? [{ kind: "stderr", ts, text: asText(item.message) }] : [];
    case "command_execution":
      return toolEntries(id, "command_execution", { command: asText(item.command) }, item, at);
    case "mcp_tool_call":
    case "tool_use":
      return toolEntries(id, asText(item.tool) || asText(item.name), item.arguments ?? item.input, item, at);
    case "collab_tool_call": {
      const { tool, prompt, receiver_thread_ids } = item;
      return toolEntries(
        id,
        asText(tool),
        { prompt, agents: receiver_thread_ids },
        { ...item, output: agentsText(asObject(item.agents_states) ?? {}) },
        at,
      );
    }
    case "sub_agent": {
      if (!completed) return [];
      const agent = asText(item.agent);
      if (item.kind === "started")
        return [{ kind: "tool_call", ts, name: "spawn_agent", input: { agent }, toolUseId: id }];
      return [{ kind: "system", ts, text: [`Agent ${agent}`, asText(item.kind)].join(": ") }];
    }
    case "todo_list": {
      if (completed) return [];
      const steps = asObjects(item.items).map(
        ({ text, completed: done }) => `${done === true ? "[x]" : "[ ]"} ${asText(text)}`,
      );
      return [{ kind: "system", ts, text: ["Plan", ...steps].join("\n") }];
    }
    case "context_compaction":
      return completed ? [{ kind: "system", ts, text: "History compacted" }] : [];
    case "image_view":
      return completed
        ? [{ kind: "tool_call", ts, name: "view_image", input: { path: asText(item.path) }, toolUseId: id }]
        : [];
    case "tool_result":
      return toolEntries(asText(item.tool_use_id) || id, "", null, item, { ...at, started: false });
    case "web_search":
      return completed
        ? [{ kind: "tool_call", ts, name: "web_search", input: { query: asText(item.query) }, toolUseId: id }]
        : [];
    case "file_change": {
      if (!completed) return [];
      const changes = asObjects(item.changes).map(({ kind, path }) => ({
        kind: asText(kind),
        path: asText(path),
      }));
      const content = changes.map(({ kind, path }) => `${kind} ${path}`).join("\n");
      const shown = item.status === "declined" ? `${refused}\n${content}` : content;
      return [
        { kind: "tool_call", ts, name: "file_change", input: { changes }, toolUseId: id },
        { kind: "tool_result", ts, toolUseId: id, content: shown, isError: hasFailed(item) },
      ];
    }
    default:
      return null;
  }
};

const toolEntries = (
  id: string,
  name: string,
  input: unknown,
  item: Json,
  { started, completed, ts }: Progress,
): TranscriptEntry[] => {
  if (started) return [{ kind: "tool_call", ts, name, input, toolUseId: id }];
  if (!completed) return [];
  const output = item.aggregated_output ?? item.result ?? item.output ?? item.content ?? "";
  const text = typeof output === "string" ? output : (partsOf(output) ?? JSON.stringify(output) ?? "");
  const content = [errorText(item), text].filter(Boolean).join("\n");
  return [{ kind: "tool_result", ts, toolUseId: id, content, isError: hasFailed(item) }];
};

const refused = "Refused.";

const hasFailed = ({ status, exit_code, error, result }: Json): boolean =>
  status === "failed" ||
  status === "declined" ||
  (typeof exit_code === "number" && exit_code !== 0) ||
  errorOf(error) !== "" ||
  asObject(result)?.isError === true;

/** An item may have an error next to its output, or in its place. */
const errorText = ({ status, error }: Json): string =>
  errorOf(error) || (status === "declined" ? refused : "");

const errorOf = (error: unknown): string => asText(error) || asText(asObject(error)?.message);

/** The content of a result of the Model Context Protocol; null for any other value. */
const partsOf = (output: unknown): string | null => {
  const content = Array.isArray(output) ? output : asObject(output)?.content;
  return Array.isArray(content) && content.length > 0 ? contentText(content) : null;
};

const agentsText = (states: Json): string =>
  Object.values(states)
    .map((state) => [asText(asObject(state)?.status), asText(asObject(state)?.message)])
    .map((state) => state.filter(Boolean).join(": "))
    .filter(Boolean)
    .join("\n");

const resultEntry = (usage: Json, error: string | null, ts: string): TranscriptEntry => {
  const cached = asCount(usage.cached_input_tokens);
  return {
    kind: "result",
    ts,
    text: error ?? "",
    inputTokens: Math.max(0, asCount(usage.input_tokens) - cached),
    outputTokens: asCount(usage.output_tokens),
    cachedTokens: cached,
    costUsd: 0,
    subtype: error === null ? "success" : "error",
    isError: error !== null,
    errors: error === null ? [] : [error],
  };
};

/** Of an event of a sub-agent's thread. The end of its turn is not the end of the run. */
const entriesOfSubAgent = (line: Json, ts: string): TranscriptEntry[] | null => {
  const event = eventOf(line);
  if (event?.type === "turn.completed") return [];
  if (event?.type === "turn.failed")
    return [{ kind: "stderr", ts, text: asText(asObject(event.error)?.message) }];
  return entriesOf(line, ts);
};

/** Converts lines of `codex exec --json` or `codex app-server` to entries of a transcript. Shows unknown lines unchanged. */
export const createStdoutParser = () => {
  let threads = newThreads();
  const parse = lineParser((line, ts) => {
    threads.note(line);
    const parentToolUseId = threads.parentOf(line);
    if (parentToolUseId === null) return entriesOf(line, ts);
    return entriesOfSubAgent(line, ts)?.map((entry) => ({ ...entry, parentToolUseId })) ?? null;
  });
  return {
    parseLine: parse,
    reset: () => {
      threads = newThreads();
    },
  };
};
