import { asCount, asObject, asObjects, asText, type Json } from "../../kit/json.ts";
import { lineParser } from "../../kit/parse-lines.ts";
import type { TranscriptEntry } from "../../kit/transcript.ts";
import { eventOf } from "./app-server-events.ts";

/** Returns null for an unknown event. */
const entriesOf = (line: Json, ts: string): TranscriptEntry[] | null => {
  const event = eventOf(line) ?? line;
  switch (event.type) {
    case "none":
    case "thread.usage":
    case "thread.started":
      return [{ kind: "init", ts, model: "", sessionId: asText(event.thread_id) }];
    case "turn.started":
      return [];
    case "item.started":
    case "item.updated":
    case "item.completed":
      return itemEntries(
        asObject(event.item) ?? {},
        event.type === "item.completed",
        event.type === "item.started",
        ts,
      );
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

const itemEntries = (
  item: Json,
  completed: boolean,
  started: boolean,
  ts: string,
): TranscriptEntry[] | null => {
  const id = asText(item.id);
  switch (item.type) {
    case "agent_message":
      return completed ? [{ kind: "assistant", ts, text: asText(item.text) }] : [];
    case "reasoning":
      return completed ? [{ kind: "thinking", ts, text: asText(item.text) }] : [];
    case "error":
      return completed ? [{ kind: "stderr", ts, text: asText(item.message) }] : [];
    case "command_execution":
      return toolEntries(
        id,
        "command_execution",
        { command: asText(item.command) },
        item,
        started,
        completed,
        ts,
      );
    case "mcp_tool_call":
    case "tool_use":
      return toolEntries(
        id,
        asText(item.tool) || asText(item.name),
        item.arguments ?? item.input,
        item,
        started,
        completed,
        ts,
      );
    case "tool_result":
      return toolEntries(asText(item.tool_use_id) || id, "", null, item, false, completed, ts);
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
      const isError = item.status === "failed";
      return [
        { kind: "tool_call", ts, name: "file_change", input: { changes }, toolUseId: id },
        { kind: "tool_result", ts, toolUseId: id, content, isError },
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
  started: boolean,
  completed: boolean,
  ts: string,
): TranscriptEntry[] => {
  if (started) return [{ kind: "tool_call", ts, name, input, toolUseId: id }];
  if (!completed) return [];
  const failed = item.status === "failed" || (typeof item.exit_code === "number" && item.exit_code !== 0);
  const output = item.aggregated_output ?? item.result ?? item.output ?? item.content ?? "";
  const content = typeof output === "string" ? output : (textsOf(output) ?? JSON.stringify(output) ?? "");
  return [{ kind: "tool_result", ts, toolUseId: id, content, isError: failed }];
};

/** The texts of a result of the Model Context Protocol; null for any other value. */
const textsOf = (output: unknown): string | null => {
  const content = asObject(output)?.content;
  if (!Array.isArray(content) || content.length === 0) return null;
  const texts = asObjects(content).map(({ text }) => text);
  return texts.length === content.length && texts.every((text) => typeof text === "string")
    ? texts.join("\n")
    : null;
};

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

/** Converts a line of `codex exec --json` or `codex app-server` to entries of a transcript. Shows unknown lines unchanged. */
export const parseStdoutLine = lineParser(entriesOf);
