import { asObject, asObjects, asText, type Json } from "../../kit/json.ts";

/** Nothing that a run or its transcript needs. */
const nothing: Json = { type: "none" };

/**
 * Returns the event of `codex exec --json` that a message of `codex app-server` stands for, so that both are read by the same
 * code; null for a line that is no such message.
 */
export const eventOf = (line: Json): Json | null => {
  const { method, result, error } = line;
  if (line.type !== undefined) return null;
  if (typeof method === "string") return ofNotification(method, asObject(line.params) ?? {});
  if (line.id === undefined) return null;
  const failed = asObject(error);
  if (failed !== null) return { type: "error", message: asText(failed.message) };
  const thread = asObject(asObject(result)?.thread);
  return thread === null ? nothing : { type: "thread.started", thread_id: thread.id };
};

const ofNotification = (method: string, params: Json): Json => {
  switch (method) {
    case "item/started":
    case "item/completed":
      return itemEvent(method.replace("/", "."), asObject(params.item) ?? {});
    case "thread/tokenUsage/updated": {
      const { total, last } = asObject(params.tokenUsage) ?? {};
      return { type: "thread.usage", usage: usageOf(total), last: usageOf(last) };
    }
    case "error":
      return { type: "error", message: asObject(params.error)?.message };
    case "turn/completed": {
      const { status, error } = asObject(params.turn) ?? {};
      if (status === "completed") return { type: "turn.completed" };
      const message = asText(asObject(error)?.message) || "The turn was interrupted.";
      return { type: "turn.failed", error: { message } };
    }
    default:
      return nothing;
  }
};

const usageOf = (raw: unknown): Json => {
  const { inputTokens, cachedInputTokens, outputTokens } = asObject(raw) ?? {};
  return { input_tokens: inputTokens, cached_input_tokens: cachedInputTokens, output_tokens: outputTokens };
};

const itemEvent = (type: string, item: Json): Json => {
  const { id, status } = item;
  switch (item.type) {
    case "agentMessage":
      return { type, item: { id, type: "agent_message", text: item.text } };
    case "reasoning":
      return { type, item: { id, type: "reasoning", text: textsOf(item.summary) } };
    case "commandExecution": {
      const { command, aggregatedOutput, exitCode } = item;
      const output = { aggregated_output: aggregatedOutput ?? "", exit_code: exitCode };
      return { type, item: { id, type: "command_execution", command, ...output, status } };
    }
    case "fileChange": {
      const changes = asObjects(item.changes).map(({ path, kind }) => ({
        path,
        kind: asText(asObject(kind)?.type),
      }));
      return { type, item: { id, type: "file_change", changes, status } };
    }
    case "mcpToolCall": {
      const { tool, arguments: input, result, error } = item;
      return { type, item: { id, type: "mcp_tool_call", tool, arguments: input, result, error, status } };
    }
    case "dynamicToolCall": {
      const { tool, arguments: input, contentItems, success } = item;
      const end = success === false ? "failed" : status;
      return { type, item: { id, type: "tool_use", name: tool, input, content: contentItems, status: end } };
    }
    case "collabAgentToolCall": {
      const { tool, prompt, receiverThreadIds, agentsStates } = item;
      const agents = { receiver_thread_ids: receiverThreadIds, agents_states: agentsStates };
      return { type, item: { id, type: "collab_tool_call", tool, prompt, ...agents, status } };
    }
    case "subAgentActivity": {
      const { kind, agentPath } = item;
      return { type, item: { id, type: "sub_agent", kind, agent: agentPath } };
    }
    case "imageView":
      return { type, item: { id, type: "image_view", path: item.path } };
    case "contextCompaction":
      return { type, item: { id, type: "context_compaction" } };
    case "webSearch":
      return { type, item: { id, type: "web_search", query: item.query } };
    default:
      return nothing;
  }
};

const textsOf = (parts: unknown): string =>
  (Array.isArray(parts) ? parts : []).map(asText).filter(Boolean).join("\n");
