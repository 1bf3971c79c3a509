import { contentText } from "../../kit/content-text.ts";
import { asCount, asList, asObject, asObjects, asText, type Json } from "../../kit/json.ts";
import { lineParser } from "../../kit/parse-lines.ts";
import type { TranscriptEntry } from "../../kit/transcript.ts";
import { limitEntries, systemEntries } from "./ui-system.ts";

/** Returns null for an unknown event. */
const entriesOf = (event: Json, ts: string): TranscriptEntry[] | null => {
  switch (event.type) {
    case "system":
      return systemEntries(event, ts);
    case "assistant":
      return blocksOf(event).flatMap((block) =>
        blockEntries(block, "assistant", ts).map((entry) => ({
          ...entry,
          ...messageUse(event),
          ...parentOf(event.parent_tool_use_id),
        })),
      );
    case "user": {
      // The log has it already.
      if (event.isReplay === true) return [];
      const content = asObject(event.message)?.content;
      const entries: TranscriptEntry[] =
        typeof content === "string"
          ? [{ kind: "user", ts, text: content }]
          : blocksOf(event).flatMap((block) => blockEntries(block, "user", ts));
      return entries.map((entry) => ({ ...entry, ...parentOf(event.parent_tool_use_id) }));
    }
    case "rate_limit_event":
      return limitEntries(asObject(event.rate_limit_info) ?? {}, ts);
    case "tool_use_summary":
      return [{ kind: "system", ts, text: asText(event.summary) }];
    // The log says what was asked and answered; the rest reports progress of what has an event of its own.
    case "control_request":
    case "control_response":
    case "control_cancel_request":
    case "keep_alive":
    case "stream_event":
    case "tool_progress":
    case "prompt_suggestion":
      return [];
    case "result":
      return [resultEntry(event, ts)];
    default:
      return null;
  }
};

const blocksOf = (event: Json): readonly Json[] => asObjects(asObject(event.message)?.content);

/** The program repeats the use of a message with each of its blocks. */
const messageUse = (event: Json): Pick<TranscriptEntry, "messageId" | "usage"> => {
  const message = asObject(event.message);
  const usage = asObject(message?.usage);
  if (message === null || usage === null) return {};
  return { messageId: asText(message.id), usage: tokensOf(usage) };
};

const tokensOf = (usage: Json) => ({
  inputTokens: asCount(usage.input_tokens) + asCount(usage.cache_creation_input_tokens),
  outputTokens: asCount(usage.output_tokens),
  cachedTokens: asCount(usage.cache_read_input_tokens),
});

const parentOf = (id: unknown): Pick<TranscriptEntry, "parentToolUseId"> =>
  asText(id) === "" ? {} : { parentToolUseId: asText(id) };

const blockEntries = (block: Json, by: "assistant" | "user", ts: string): TranscriptEntry[] => {
  const type = asText(block.type);
  switch (type) {
    case "":
      return [];
    case "thinking":
      return [{ kind: "thinking", ts, text: asText(block.thinking) || hiddenThinking }];
    case "redacted_thinking":
      return [{ kind: "thinking", ts, text: hiddenThinking }];
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return [
        { kind: "tool_call", ts, name: asText(block.name), input: block.input, toolUseId: asText(block.id) },
      ];
  }
  // The results of tools that the provider runs have types of their own, such as web_search_tool_result.
  if (!type.endsWith("tool_result")) return [{ kind: by, ts, text: contentText(block) }];
  const isError = block.is_error === true || /_error$/.test(asText(asObject(block.content)?.type));
  const toolUseId = asText(block.tool_use_id);
  return [{ kind: "tool_result", ts, toolUseId, content: contentText(block.content), isError }];
};

const hiddenThinking = "[The provider does not show this thinking.]";

const resultEntry = (event: Json, ts: string): TranscriptEntry => {
  const usage = asObject(event.usage) ?? {};
  return {
    kind: "result",
    ts,
    text: asText(event.result),
    ...tokensOf(usage),
    costUsd: typeof event.total_cost_usd === "number" ? event.total_cost_usd : 0,
    subtype: asText(event.subtype),
    isError: event.is_error === true || asText(event.subtype).startsWith("error"),
    errors: asList(event.errors).map((error) => (typeof error === "string" ? error : JSON.stringify(error))),
  };
};

/** Converts a line of the program's stream-json output to entries of a transcript. Shows unknown lines unchanged. */
export const parseStdoutLine = lineParser(entriesOf);
