import { createStdoutParser as createAcpParser } from "../../kit/acp/ui-entries.ts";
import { contentText } from "../../kit/content-text.ts";
import { asCount, asObject, asText, type Json, parseObject } from "../../kit/json.ts";
import { lineParser } from "../../kit/parse-lines.ts";
import type { TranscriptEntry } from "../../kit/transcript.ts";

/** Returns null for an unknown event. */
const entriesOf = (event: Json, ts: string): TranscriptEntry[] | null => {
  const part = asObject(event.part) ?? {};
  switch (event.type) {
    case "step_start":
      return [];
    case "text":
      return [{ kind: "assistant", ts, text: asText(part.text) }];
    case "reasoning":
      return [{ kind: "thinking", ts, text: asText(part.text) }];
    case "tool_use":
      return toolEntries(part, ts);
    case "step_finish":
      return [stepEntry(part, ts)];
    case "error": {
      const error = asObject(event.error) ?? {};
      const message = asText(asObject(error.data)?.message) || asText(error.message) || asText(error.name);
      return [{ kind: "stderr", ts, text: message }];
    }
    default:
      return null;
  }
};

/** The program reports a tool when it has ended. */
const toolEntries = (part: Json, ts: string): TranscriptEntry[] => {
  const state = asObject(part.state) ?? {};
  const toolUseId = asText(part.callID);
  const isError = state.status === "error";
  const answer = isError ? (state.error ?? state.output) : [state.output, state.attachments];
  return [
    { kind: "tool_call", ts, name: asText(part.tool), input: state.input, toolUseId },
    { kind: "tool_result", ts, toolUseId, content: contentText(answer), isError },
  ];
};

const stepEntry = (part: Json, ts: string): TranscriptEntry => {
  const tokens = asObject(part.tokens) ?? {};
  const cache = asObject(tokens.cache) ?? {};
  return {
    kind: "result",
    ts,
    text: "",
    inputTokens: asCount(tokens.input) + asCount(cache.write),
    outputTokens: asCount(tokens.output) + asCount(tokens.reasoning),
    cachedTokens: asCount(cache.read),
    costUsd: typeof part.cost === "number" && Number.isFinite(part.cost) ? part.cost : 0,
    subtype: asText(part.reason),
    isError: false,
    errors: [],
  };
};

/** Converts a line of `opencode run --format json` to entries of a transcript. Shows unknown lines unchanged. */
export const parseStdoutLine = lineParser(entriesOf);

/** The same, and lines of `opencode acp`. */
export const createStdoutParser = () => {
  const acp = createAcpParser();
  return {
    parseLine: (line: string, ts: string): TranscriptEntry[] =>
      parseObject(line)?.jsonrpc === undefined ? parseStdoutLine(line, ts) : acp.parseLine(line, ts),
    reset: acp.reset,
  };
};
