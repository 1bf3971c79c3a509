import { asCount, asList, asObject, asObjects, asText, type Json } from "../../kit/json.ts";
import { lineParser } from "../../kit/parse-lines.ts";
import type { TranscriptEntry } from "../../kit/transcript.ts";

/** Returns null for an unknown event. */
const entriesOf = (event: Json, ts: string): TranscriptEntry[] | null => {
  switch (event.type) {
    case "system":
      return event.subtype === "init"
        ? [{ kind: "init", ts, model: asText(event.model), sessionId: asText(event.session_id) }]
        : null;
    case "assistant":
      return blocksOf(event).flatMap((block) =>
        assistantEntry(block, ts).map((entry) => ({ ...entry, ...messageUse(event) })),
      );
    case "user": {
      // The log has it already.
      if (event.isReplay === true) return [];
      const content = asObject(event.message)?.content;
      if (typeof content === "string") return [{ kind: "user", ts, text: content }];
      return blocksOf(event).flatMap((block) => userEntry(block, ts));
    }
    // The log says what was asked and answered.
    case "control_request":
    case "control_response":
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

const assistantEntry = (block: Json, ts: string): TranscriptEntry[] => {
  switch (block.type) {
    case "text":
      return [{ kind: "assistant", ts, text: asText(block.text) }];
    case "thinking":
      return [{ kind: "thinking", ts, text: asText(block.thinking) }];
    case "tool_use":
      return [
        { kind: "tool_call", ts, name: asText(block.name), input: block.input, toolUseId: asText(block.id) },
      ];
    default:
      return [];
  }
};

const userEntry = (block: Json, ts: string): TranscriptEntry[] => {
  switch (block.type) {
    case "text":
      return [{ kind: "user", ts, text: asText(block.text) }];
    case "tool_result":
      return [
        {
          kind: "tool_result",
          ts,
          toolUseId: asText(block.tool_use_id),
          content:
            typeof block.content === "string"
              ? block.content
              : asList(block.content)
                  .map((part) => asText(asObject(part)?.text))
                  .join("\n"),
          isError: block.is_error === true,
        },
      ];
    default:
      return [];
  }
};

const resultEntry = (event: Json, ts: string): TranscriptEntry => {
  const usage = asObject(event.usage) ?? {};
  return {
    kind: "result",
    ts,
    text: asText(event.result),
    ...tokensOf(usage),
    costUsd: typeof event.total_cost_usd === "number" ? event.total_cost_usd : 0,
    subtype: asText(event.subtype),
    isError: event.is_error === true,
    errors: asList(event.errors).map((error) => (typeof error === "string" ? error : JSON.stringify(error))),
  };
};

/** Converts a line of the program's stream-json output to entries of a transcript. Shows unknown lines unchanged. */
export const parseStdoutLine = lineParser(entriesOf);
