import { contentText } from "../content-text.ts";
import { asObject, asObjects, asText, type Json, parseObject } from "../json.ts";
import type { TranscriptEntry } from "../transcript.ts";
import { requestIds } from "./requests.ts";
import { isModeNotice } from "./turn.ts";

/** For how long after its answer texts belong to a turn. */
const lateMs = 2_000;
/** Entries that a new session may have before its request is answered. */
const maxEarly = 100;

/** Converts the agent's side of a conversation to entries of a transcript. Shows lines that are no message unchanged. */
export const createStdoutParser = () => {
  const spoken = spokenText();
  const calls = toolCalls();
  /** A loaded session is repeated first. A new one may begin to speak before its request is answered. */
  let isReplaying = false;
  let early: TranscriptEntry[] = [];
  let goesOnLate = false;

  const updated = (update: Json, ts: string): TranscriptEntry[] => {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
        return spoken.add(update, ts);
      case "tool_call":
      case "tool_call_update":
        return [...spoken.flush(), ...calls.entriesOf(update, ts)];
      case "plan":
        return [...spoken.flush(), planEntry(update, ts)];
      case "user_message_chunk":
      case "available_commands_update":
      case "usage_update":
      case "current_mode_update":
      case "config_option_update":
      case "session_info_update":
        return [];
      default:
        return [...spoken.flush(), { kind: "stdout", ts, text: JSON.stringify(update) }];
    }
  };

  const answered = ({ id, result, error }: Json, ts: string): TranscriptEntry[] => {
    const answer = asObject(result) ?? {};
    const failed = asObject(error);
    switch (id) {
      case requestIds.initialize: {
        isReplaying = true;
        goesOnLate = /gemini/i.test(asText(asObject(answer.agentInfo)?.name));
        return [];
      }
      case requestIds["session/load"]:
        isReplaying = goesOnLate && failed === null;
        early = [];
        spoken.flush();
        return [];
      case requestIds["session/prompt"]:
        spoken.endTurn(ts);
        return [
          ...spoken.flush(),
          failed === null ? turnEntry(answer, ts) : { kind: "stderr", ts, text: asText(failed.message) },
        ];
      default:
        isReplaying = false;
        return early.splice(0);
    }
  };

  return {
    parseLine: (line: string, ts: string): TranscriptEntry[] => {
      if (line.trim() === "") return [];
      const parsed = parseObject(line);
      if (parsed === null || parsed.jsonrpc !== "2.0")
        return [...spoken.flush(), { kind: "stdout", ts, text: line }];
      const { method } = parsed;
      if (method === undefined) return answered(parsed, ts);
      if (method !== "session/update") return [];
      const update = asObject(asObject(parsed.params)?.update) ?? {};
      if (!isReplaying) return updated(update, ts);
      if (update.sessionUpdate === "available_commands_update" && goesOnLate) isReplaying = false;
      if (early.length < maxEarly) early.push(...updated(update, ts));
      return [];
    },
    reset: () => {
      spoken.reset();
      early = [];
      isReplaying = false;
      calls.clear();
    },
  };
};

type Parent = Pick<TranscriptEntry, "parentToolUseId">;

const planEntry = ({ entries }: Json, ts: string): TranscriptEntry => {
  const steps = asObjects(entries).map(
    ({ status, content }) => `${status === "completed" ? "[x]" : "[ ]"} ${asText(content)}`,
  );
  return { kind: "system", ts, text: ["Plan", ...steps].join("\n") };
};

/** Text of one kind that comes in pieces; it is shown once another kind of message comes. */
const spokenText = () => {
  let pending:
    | ({ readonly kind: "assistant" | "thinking"; readonly ts: string; text: string } & Parent)
    | null = null;
  let message: unknown;
  /** When the last turn was answered: no line may follow that completes a late text, so it is shown at once. */
  let answeredAt: string | null = null;
  const flush = (): TranscriptEntry[] => {
    const entry = pending;
    pending = null;
    return entry === null || entry.text.trim() === "" ? [] : [{ ...entry }];
  };
  return {
    flush,
    add: (update: Json, ts: string): TranscriptEntry[] => {
      const kind = update.sessionUpdate === "agent_message_chunk" ? "assistant" : "thinking";
      const text = contentText(update.content);
      const parent = parentOf(update);
      if (isModeNotice(text)) return [];
      if (answeredAt !== null && !(Date.parse(ts) - Date.parse(answeredAt) > lateMs))
        return [{ kind, ts, text, ...parent }];
      const isSame = pending?.kind === kind && pending.parentToolUseId === parent.parentToolUseId;
      if (pending !== null && isSame && message === update.messageId) {
        pending.text += text;
        return [];
      }
      const before = flush();
      message = update.messageId;
      pending = { kind, ts, text, ...parent };
      return before;
    },
    endTurn: (ts: string) => {
      answeredAt = ts;
    },
    reset: () => {
      pending = null;
      answeredAt = null;
    },
  };
};

const toolCalls = () => {
  /** Those that have not ended, by id. */
  const calls = new Map<string, { readonly name: string; readonly input: Json; readonly isShown: boolean }>();
  /** A call is shown once it runs and its input is known, at the latest with its end. */
  const entriesOf = (update: Json, ts: string): TranscriptEntry[] => {
    const toolUseId = asText(update.toolCallId);
    const isOver = update.status === "completed" || update.status === "failed";
    const known = calls.get(toolUseId);
    const input = { ...known?.input, ...asObject(update.rawInput) };
    const name = nameOf(update) || known?.name || "tool";
    const runs = update.status !== "pending" && Object.keys(input).length > 0;
    const entries: TranscriptEntry[] = [];
    if (known?.isShown !== true && (isOver || runs))
      entries.push({ kind: "tool_call", ts, name, input, toolUseId, ...parentOf(update) });
    if (isOver) calls.delete(toolUseId);
    else calls.set(toolUseId, { name, input, isShown: known?.isShown === true || runs });
    if (isOver) {
      const output = asObject(update.rawOutput);
      const isError = update.status === "failed" || output?.status === "declined" || output?.isError === true;
      const content = contentOf(update);
      entries.push({ kind: "tool_result", ts, toolUseId, content, isError, ...parentOf(update) });
    }
    return entries;
  };
  return { entriesOf, clear: () => calls.clear() };
};

/** claude's server names the call whose sub-agent an update is of. */
const parentOf = ({ _meta }: Json): Parent => {
  const id = asText(asObject(asObject(_meta)?.claudeCode)?.parentToolUseId);
  return id === "" ? {} : { parentToolUseId: id };
};

const nameOf = ({ name, title, kind }: Json): string =>
  [asText(name), asText(title), asText(kind)].find((one) => one !== "") ?? "";

const contentOf = ({ content, rawOutput }: Json): string => {
  const parts = asObjects(content).flatMap((part) => {
    if (part.type === "diff")
      return `${asText(part.path)}\n${lines("-", part.oldText)}${lines("+", part.newText)}`;
    return contentText(part.content) || [];
  });
  if (parts.length > 0) return parts.join("\n");
  const output = asObject(rawOutput);
  if (output === null) return contentText(rawOutput);
  const error = asText(output.error) || asText(asObject(output.error)?.message);
  const text = contentText(output.formatted_output ?? output.output ?? output.content);
  return [error, text].filter(Boolean).join("\n") || asText(output.message);
};

const lines = (mark: string, text: unknown): string =>
  asText(text) === "" ? "" : `${mark} ${asText(text).split("\n").join(`\n${mark} `)}\n`;

const turnEntry = (answer: Json, ts: string): TranscriptEntry => {
  const usage = asObject(answer.usage) ?? {};
  const figure = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : 0);
  const stopReason = asText(answer.stopReason);
  return {
    kind: "result",
    ts,
    text: "",
    inputTokens: figure(usage.inputTokens),
    outputTokens: figure(usage.outputTokens),
    cachedTokens: figure(usage.cachedReadTokens),
    costUsd: 0,
    subtype: stopReason,
    isError: stopReason !== "end_turn",
    errors: [],
  };
};
