import type { LimitWindow, TokenUsage } from "../../../ports/agent-adapter.ts";
import { limitsOf } from "../../kit/claude-limits.ts";
import type { Progress } from "../../kit/final-line.ts";
import { asCount, asList, asObject, asObjects, asText, type Json, parseObject } from "../../kit/json.ts";
import { appendText } from "../../kit/last-texts.ts";
import { fromEpochSeconds } from "../../kit/reset-time.ts";
import { noUsage, type Turn, type TurnsUsage, usageOfTurns } from "./prices.ts";

/** The output of a run so far. */
export interface ClaudeStream {
  sessionId: string | null;
  model: string | null;
  /** Text of assistant messages: the summary where no result comes. */
  readonly texts: string[];
  /** The program's own name for a provider error: rate_limit, overloaded, authentication_failed, … */
  errorCode: string | null;
  /** The last request was refused because of its rate, and no answer has come since: the program's report. */
  rateRefused: string | null;
  /** When the account's used-up limit ends. */
  limitResetsAt: Date | null;
  limitRejected: boolean;
  /** The windows of the last report; null: there was none, or it is passed on. */
  limits: readonly LimitWindow[] | null;
  /** Attempts with refused credentials. The program would repeat them for minutes. */
  signInRefusals: number;
  /** Usage of the latest answers by id: an answer comes in parts, and the last part counts. */
  readonly turns: Map<string, Turn>;
  /** The sum of earlier answers. */
  turnsBefore: TurnsUsage;
  /** The number of answers, and of those reported to the service. */
  turnsSeen: number;
  turnsReported: number;
  /** The last one counts: a program whose background task ends works on, and says another. */
  result: ClaudeResult | null;
  /** Background tasks that have begun and not ended. */
  readonly tasks: Set<string>;
}

export interface ClaudeResult {
  readonly text: string;
  readonly subtype: string;
  readonly isError: boolean;
  readonly errors: readonly string[];
  /** HTTP status of the provider's last answer, where it was an error. */
  readonly apiStatus: number | null;
  readonly stopReason: string | null;
  readonly usage: TokenUsage;
  readonly costUsd: number | null;
}

export const newStream = (): ClaudeStream => ({
  sessionId: null,
  model: null,
  texts: [],
  errorCode: null,
  rateRefused: null,
  limitResetsAt: null,
  limitRejected: false,
  limits: null,
  signInRefusals: 0,
  turns: new Map(),
  turnsBefore: noUsage,
  turnsSeen: 0,
  turnsReported: 0,
  result: null,
  tasks: new Set(),
});

/** Refused credentials stay refused; two repetitions allow for a token in renewal. */
const maxSignInRefusals = 3;

/** Whether the provider keeps refusing the program's credentials. */
export const isSignInRefused = ({ signInRefusals }: ClaudeStream): boolean =>
  signInRefusals >= maxSignInRefusals;

/** Characters of assistant text kept for a summary. */
const maxTexts = 16_000;

/** Processes a line. Ignores lines that are no event. */
export const takeLine = (stream: ClaudeStream, line: string): Progress => {
  const event = parseObject(line);
  if (event === null) return null;
  if (typeof event.session_id === "string" && event.session_id !== "") stream.sessionId = event.session_id;
  switch (event.type) {
    case "system":
      takeTask(stream, event);
      if (event.subtype === "init" && typeof event.model === "string") stream.model = event.model;
      if (event.subtype === "api_retry") stream.rateRefused = rateRefusal(event);
      if (event.subtype === "api_retry" && event.error === "authentication_failed") {
        stream.errorCode = "authentication_failed";
        stream.signInRefusals += 1;
      }
      return event.subtype === "task_started" ? "working" : null;
    case "assistant":
      takeMessage(stream, event);
      return "working";
    case "rate_limit_event": {
      const limit = asObject(event.rate_limit_info);
      if (limit !== null) stream.limits = limitsOf(limit);
      // A later report lifts a rejection, and use beyond the subscription is paid for.
      stream.limitRejected = limit?.status === "rejected" && limit.isUsingOverage !== true;
      stream.limitResetsAt = stream.limitRejected ? fromEpochSeconds(limit?.resetsAt) : null;
      return null;
    }
    case "result":
      stream.result = readResult(event);
      return stream.tasks.size === 0 ? "done" : "working";
    default:
      return null;
  }
};

const rateRefusal = ({ error, error_status, attempt }: Json): string | null =>
  error === "rate_limit" || error_status === 429
    ? `The model's provider has refused requests with status 429 (attempt ${asCount(attempt)}).`
    : null;

const takeTask = ({ tasks }: ClaudeStream, { subtype, task_id, status, patch }: Json): void => {
  const id = asText(task_id);
  if (id === "") return;
  if (subtype === "task_started") tasks.add(id);
  if (
    subtype === "task_notification" ||
    (subtype === "task_updated" && isEnded(status ?? asObject(patch)?.status))
  )
    tasks.delete(id);
};

const isEnded = (status: unknown): boolean => /^(completed|failed|stopped|killed)$/.test(asText(status));

const takeMessage = (stream: ClaudeStream, event: Json): void => {
  // A later message without the name means that the program has recovered.
  stream.errorCode = typeof event.error === "string" ? event.error : null;
  stream.rateRefused = null;
  takeTurn(stream, asObject(event.message));
  // Messages of subagents are internal.
  if (event.parent_tool_use_id != null) return;
  for (const block of asObjects(asObject(event.message)?.content)) {
    if (block.type !== "text" || asText(block.text).trim() === "") continue;
    appendText(stream.texts, asText(block.text), maxTexts);
  }
};

/** Limit of concurrent answers of the agent and its subagents: older answers get no more parts. */
const maxTurns = 32;

/** Returns the usage of the run so far, as its answers report it. */
export const usageSoFar = ({ turns, turnsBefore }: ClaudeStream): TurnsUsage =>
  usageOfTurns(turns.values(), turnsBefore);

/** Subagents cost money, too. */
const takeTurn = (stream: ClaudeStream, message: Json | null): void => {
  const usage = asObject(message?.usage);
  if (message === null || usage === null || typeof message.id !== "string") return;
  if (!stream.turns.has(message.id)) stream.turnsSeen += 1;
  stream.turns.set(message.id, {
    model: typeof message.model === "string" ? message.model : (stream.model ?? ""),
    inputTokens: asCount(usage.input_tokens),
    cacheWriteTokens: asCount(usage.cache_creation_input_tokens),
    hourCacheWriteTokens: asCount(asObject(usage.cache_creation)?.ephemeral_1h_input_tokens),
    cacheReadTokens: asCount(usage.cache_read_input_tokens),
    outputTokens: asCount(usage.output_tokens),
  });
  const [oldest] = stream.turns;
  if (oldest === undefined || stream.turns.size <= maxTurns) return;
  stream.turns.delete(oldest[0]);
  stream.turnsBefore = usageOfTurns([oldest[1]], stream.turnsBefore);
};

const readResult = (event: Json): ClaudeResult => {
  const subtype = asText(event.subtype);
  return {
    text: asText(event.result),
    subtype,
    isError: event.is_error === true || subtype.startsWith("error"),
    errors: asList(event.errors).map((error) => (typeof error === "string" ? error : JSON.stringify(error))),
    apiStatus: typeof event.api_error_status === "number" ? event.api_error_status : null,
    stopReason: typeof event.stop_reason === "string" ? event.stop_reason : null,
    usage: readUsage(event),
    costUsd:
      typeof event.total_cost_usd === "number" && event.total_cost_usd >= 0 ? event.total_cost_usd : null,
  };
};

/** `modelUsage` counts every model of the run, `usage` only the main one. */
const readUsage = (event: Json): TokenUsage => {
  const byModel = asObjects(Object.values(asObject(event.modelUsage) ?? {}));
  if (byModel.length > 0) {
    const sum = (key: string) => byModel.reduce((total, entry) => total + asCount(entry[key]), 0);
    return {
      inputTokens: sum("inputTokens") + sum("cacheCreationInputTokens"),
      outputTokens: sum("outputTokens"),
      cachedInputTokens: sum("cacheReadInputTokens"),
    };
  }
  const usage = asObject(event.usage) ?? {};
  return {
    inputTokens: asCount(usage.input_tokens) + asCount(usage.cache_creation_input_tokens),
    outputTokens: asCount(usage.output_tokens),
    cachedInputTokens: asCount(usage.cache_read_input_tokens),
  };
};
