import type { ExecuteContext, LimitWindow, ProgramInput } from "../../../ports/agent-adapter.ts";
import { asObject, asObjects, asText, type Json, parseObject } from "../../kit/json.ts";
import type { Messages } from "../../kit/messages.ts";
import { joinPrompt } from "../../kit/prompt.ts";
import { fromEpochSeconds } from "../../kit/reset-time.ts";
import { appServerMessages } from "./app-server-messages.ts";
import { appServerPermissions } from "./app-server-permissions.ts";
import { newThreads } from "./app-server-threads.ts";
import type { CodexConfig } from "./configuration.ts";

/** Our end of a conversation with `codex app-server` (JSON-RPC without its version, one message a line; 0.169.0). */
export interface AppServer {
  /** Takes a line of the program's output. */
  receive(line: string): void;
  /** Whether no further turn begins. */
  isOver(): boolean;
}

const requestIds = { initialize: 1, thread: 2, turn: 3, skills: 4 };

interface AppServerParts {
  readonly input: ProgramInput;
  /** A folder of skills, in addition to those that the program knows; null: none. */
  readonly skills: string | null;
  readonly messages: Messages | null;
}

/** Opens or resumes a thread, gives the program its prompt, answers what it asks, and ends it after the turn. */
export const appServer = (
  context: Pick<ExecuteContext, "askPermission" | "onLog" | "onLimits" | "onTaken" | "messagesAgain" | "cwd">,
  { policy, model }: Pick<CodexConfig, "policy" | "model">,
  session: string | null,
  { input, skills, messages }: AppServerParts,
  prompt: string,
): AppServer => {
  const send = (message: Json) => input.write(`${JSON.stringify(message)}\n`);
  const permissions = appServerPermissions(context, policy, send);
  const delivery = appServerMessages(send, messages, context.onTaken);
  const threads = newThreads();
  const again = context.messagesAgain ?? [];
  let isOver = false;
  // The program ends when its input does.
  const end = () => {
    isOver = true;
    input.end();
  };

  const open = () => send(threadRequest(context.cwd, model, session, again.length === 0));
  const begin = (thread: Json | null) => {
    const threadId = asText(thread?.id);
    const known = textsOfPeople(thread);
    const missing = again.filter(({ text }) => !known.some((one) => one.includes(text)));
    const text = joinPrompt(prompt, ...missing.map((message) => message.text));
    delivery.begin(threadId);
    send({
      id: requestIds.turn,
      method: "turn/start",
      params: { threadId, input: [{ type: "text", text }] },
    });
  };
  const answered = ({ id, result, error }: Json) => {
    const isRefused = asObject(error) !== null;
    if (delivery.answered(id, isRefused)) return;
    if (isRefused) return end();
    if (id === requestIds.initialize) {
      send({ method: "initialized" });
      if (skills === null) open();
      else send({ id: requestIds.skills, method: "skills/extraRoots/set", params: { extraRoots: [skills] } });
    }
    if (id === requestIds.skills) open();
    if (id === requestIds.thread) begin(asObject(asObject(result)?.thread));
  };
  send({
    id: requestIds.initialize,
    method: "initialize",
    params: {
      clientInfo: { name: "boardroom", title: "Boardroom", version: "1" },
      // Folders of skills.
      ...(skills === null ? {} : { capabilities: { experimentalApi: true } }),
    },
  });
  return {
    isOver: () => isOver,
    receive: (line) => {
      const message = parseObject(line);
      if (message === null) return;
      threads.note(message);
      const { id, method } = message;
      const params = asObject(message.params) ?? {};
      if (typeof method !== "string") return answered(message);
      if (id !== undefined) return void permissions.permit(id, method, params);
      const item = asObject(params.item);
      permissions.recordItem(method, item);
      // The turns of sub-agents begin and end within a turn of ours.
      if (threads.parentOf(message) !== null) return;
      if (item?.type === "userMessage") delivery.accepted(asText(item.clientId));
      if (method === "account/rateLimits/updated")
        void context.onLimits?.({ windows: limitsOf(asObject(params.rateLimits) ?? {}) }).catch(() => {});
      if (method === "turn/started") delivery.turnStarted(asText(asObject(params.turn)?.id));
      if (method === "turn/completed" && !delivery.turnEnded(asObject(params.turn)?.status === "completed"))
        end();
    },
  };
};

const threadRequest = (
  cwd: string,
  model: string | undefined,
  session: string | null,
  excludeTurns: boolean,
): Json => {
  const settings = {
    cwd,
    // The program asks for what its model wants to do outside of its own sandbox; people answer, and no model.
    approvalPolicy: "on-request",
    approvalsReviewer: "user",
    sandbox: "workspace-write",
    ...(model === undefined ? {} : { model }),
  };
  return session === null
    ? { id: requestIds.thread, method: "thread/start", params: settings }
    : {
        id: requestIds.thread,
        method: "thread/resume",
        params: { threadId: session, excludeTurns, ...settings },
      };
};

/** The texts of people in the turns of a resumed thread. */
const textsOfPeople = (thread: Json | null): readonly string[] =>
  asObjects(thread?.turns)
    .flatMap(({ items }) => asObjects(items))
    .filter(({ type }) => type === "userMessage")
    .map(({ content }) =>
      asObjects(content)
        .map(({ text }) => asText(text))
        .join("\n"),
    );

/** The program's own limit; others have their names before those of their windows. */
const defaultLimitId = "codex";
const names: Readonly<Record<number, string>> = { 300: "five_hour", 10080: "seven_day" };

/** The windows of a snapshot of limits, as `codex app-server` reports it after a request of its model (0.169.0). */
const limitsOf = (snapshot: Json): readonly LimitWindow[] => {
  const limit = asText(snapshot.limitId) || defaultLimitId;
  return (["primary", "secondary"] as const).flatMap((which) => {
    const { usedPercent, windowDurationMins, resetsAt } = asObject(snapshot[which]) ?? {};
    if (typeof usedPercent !== "number") return [];
    const minutes = typeof windowDurationMins === "number" ? windowDurationMins : null;
    const reset = fromEpochSeconds(resetsAt);
    const name = names[minutes ?? 0] ?? which;
    return [
      {
        name: limit === defaultLimitId ? name : `${limit} ${name}`,
        usedPercent,
        ...(minutes === null ? {} : { windowMinutes: minutes }),
        ...(reset === null ? {} : { resetsAt: reset.toISOString() }),
      },
    ];
  });
};
