import type { TokenUsage } from "../../../ports/agent-adapter.ts";
import { asCount, asObject, asText, type Json } from "../json.ts";
import { appendText } from "../last-texts.ts";
import { callOf, type KnownCall, maxCallText } from "./known-call.ts";
import type { Preset } from "./presets.ts";

/** An agent's turn so far, by its updates. */
export interface Turn {
  readonly texts: string[];
  /** The last piece of text, as the agent sent it. */
  lastPiece: string;
  /** The message that the last text belongs to; null: the next text is another one. */
  message: string | null;
  /** The reported tool calls, by id. */
  readonly calls: Map<string, KnownCall>;
  /** Added up from reports of single requests of the model; null without one. */
  usageByRequest: Json | null;
  /** The session's cumulative cost in dollars; null until it is reported. */
  cost: number | null;
  /** The agent's own mark of a failed turn. */
  hasFailed: boolean;
}

export const newTurn = (): Turn => ({
  texts: [],
  lastPiece: "",
  message: null,
  calls: new Map(),
  usageByRequest: null,
  cost: null,
  hasFailed: false,
});

/** Characters of the agent's text kept for a summary. */
const maxTexts = 16_000;
/** Tool calls that are kept for requests that do not repeat what they are. */
const maxCalls = 200;
/** The figures of a request that `usageOf` reads. */
const figures = ["inputTokens", "outputTokens", "cachedReadTokens", "cachedWriteTokens"];

/** Takes an update of the session; ignores kinds that it does not know. */
export const takeUpdate = (turn: Turn, update: Json): void => {
  const kind = asText(update.sessionUpdate);
  const meta = asObject(update._meta) ?? {};
  if (kind === "agent_message_chunk") {
    addUsage(turn, asObject(meta.usage));
    addText(turn, asText(asObject(update.content)?.text), asText(update.messageId));
    return;
  }
  if (kind === "usage_update") {
    const { amount, currency } = asObject(update.cost) ?? {};
    if (typeof amount === "number" && amount >= 0 && Number.isFinite(amount) && currency === "USD")
      turn.cost = amount;
    return;
  }
  if (kind === "agent_thought_chunk" || kind === "plan" || kind.startsWith("tool_call")) turn.message = null;
  if (kind === "tool_call" || kind === "tool_call_update") {
    const id = asText(update.toolCallId);
    if (id.length > maxCallText) return;
    turn.calls.set(id, callOf(update, turn.calls.get(id)));
    const [oldest] = turn.calls.keys();
    if (turn.calls.size > maxCalls && oldest !== undefined) turn.calls.delete(oldest);
  } else if (kind === "session_info_update")
    turn.hasFailed ||= asObject(asObject(meta.codex)?.threadStatus)?.type === "systemError";
};

/** gemini reports as a text that its mode was set. */
export const isModeNotice = (text: string): boolean => /^\[MODE_UPDATE\] \S{1,40}$/.test(text);

const addText = (turn: Turn, text: string, message: string): void => {
  if (text === "" || isModeNotice(text)) return;
  turn.lastPiece = text.slice(-maxTexts);
  const last = turn.message === message ? turn.texts.pop() : undefined;
  appendText(turn.texts, `${last ?? ""}${text}`.slice(-maxTexts), maxTexts);
  turn.message = message;
};

const addUsage = (turn: Turn, usage: Json | null): void => {
  if (usage === null) return;
  const sum: Record<string, number> = {};
  for (const name of figures) sum[name] = asCount(turn.usageByRequest?.[name]) + asCount(usage[name]);
  turn.usageByRequest = sum;
};

/** Returns the usage of a turn by the answer to its prompt; null where the agent reports none. */
export const usageOf = (turn: Turn, answer: Json, { cachedIsIncluded }: Preset): TokenUsage | null => {
  const quota = asObject(asObject(asObject(answer._meta)?.quota)?.token_count);
  const usage = asObject(answer.usage) ?? quota ?? turn.usageByRequest;
  if (usage === null) return null;
  const cached = asCount(usage.cachedReadTokens);
  const input = asCount(usage.inputTokens) || asCount(usage.input_tokens);
  return {
    inputTokens: Math.max(0, input - (cachedIsIncluded ? cached : 0)) + asCount(usage.cachedWriteTokens),
    outputTokens: asCount(usage.outputTokens) || asCount(usage.output_tokens),
    cachedInputTokens: cached,
  };
};

/** Returns the usage of all turns of a conversation so far; null where the agent reports none. */
export const totalUsage = (
  {
    turn,
    answer,
    usageBefore,
  }: { readonly turn: Turn; readonly answer: Json | null; readonly usageBefore: TokenUsage | null },
  preset: Preset,
): TokenUsage | null => {
  const usage = answer === null ? null : usageOf(turn, answer, preset);
  if (usage === null || usageBefore === null) return usage ?? usageBefore;
  return {
    inputTokens: usageBefore.inputTokens + usage.inputTokens,
    outputTokens: usageBefore.outputTokens + usage.outputTokens,
    cachedInputTokens: usageBefore.cachedInputTokens + usage.cachedInputTokens,
  };
};
