import type { TokenUsage } from "../../../ports/agent-adapter.ts";
import type { Progress } from "../../kit/final-line.ts";
import { asCount, asObject, asText, parseObject } from "../../kit/json.ts";
import { appendText } from "../../kit/last-texts.ts";

/** The output of a run so far. */
export interface OpencodeStream {
  sessionId: string | null;
  readonly texts: string[];
  steps: number;
  /** Number of steps reported to the service. */
  stepsReported: number;
  usage: TokenUsage;
  /** Dollars; null until a step reports a price. */
  costUsd: number | null;
  error: OpencodeError | null;
  /** The last step ended the turn, and no other has begun. */
  isDone: boolean;
}

export interface OpencodeError {
  /** The program's own name for it: APIError, ProviderAuthError, … */
  readonly name: string;
  readonly message: string;
  /** HTTP status of the provider's answer. */
  readonly status: number | null;
}

export const newStream = (): OpencodeStream => ({
  sessionId: null,
  texts: [],
  steps: 0,
  stepsReported: 0,
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
  costUsd: null,
  error: null,
  isDone: false,
});

/** Characters of the agent's text kept for a summary. */
const maxTexts = 16_000;

/**
 * Processes a line. The program marks no line as the last: a step that asks for no tool ends its turn, unless another
 * follows, as after the history was compacted. Ignores lines that are no event.
 */
export const takeLine = (stream: OpencodeStream, line: string): Progress => {
  const event = parseObject(line);
  if (event === null) return null;
  if (asText(event.sessionID) !== "") stream.sessionId = asText(event.sessionID);
  const part = asObject(event.part) ?? {};
  switch (event.type) {
    case "step_start":
      stream.isDone = false;
      // A provider's error that the program has repeated with success is none.
      stream.error = null;
      return "working";
    case "text":
      if (asText(part.text).trim() !== "") appendText(stream.texts, asText(part.text), maxTexts);
      return "working";
    case "step_finish": {
      const tokens = asObject(part.tokens) ?? {};
      const cache = asObject(tokens.cache) ?? {};
      const { inputTokens, outputTokens, cachedInputTokens } = stream.usage;
      stream.steps += 1;
      stream.usage = {
        inputTokens: inputTokens + asCount(tokens.input) + asCount(cache.write),
        outputTokens: outputTokens + asCount(tokens.output) + asCount(tokens.reasoning),
        cachedInputTokens: cachedInputTokens + asCount(cache.read),
      };
      if (typeof part.cost === "number" && part.cost >= 0 && Number.isFinite(part.cost))
        stream.costUsd = (stream.costUsd ?? 0) + part.cost;
      stream.isDone = part.reason === "stop";
      return stream.isDone ? "done" : "working";
    }
    case "error": {
      const error = asObject(event.error) ?? {};
      const data = asObject(error.data) ?? {};
      stream.error = {
        name: asText(error.name),
        message: asText(data.message) || asText(error.message) || asText(error.name),
        status: typeof data.statusCode === "number" ? data.statusCode : null,
      };
      return "done";
    }
    default:
      return null;
  }
};
