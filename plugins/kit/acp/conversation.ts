import type {
  ExecuteContext,
  LimitWindow,
  McpServerOfRun,
  TokenUsage,
} from "../../../ports/agent-adapter.ts";
import { limitsOf } from "../claude-limits.ts";
import { asObject, asObjects, asText, type Json } from "../json.ts";
import { askPeople } from "../permissions.ts";
import { joinPrompt } from "../prompt.ts";
import { serviceTools } from "../service-tools.ts";
import { againText, type Words } from "../words.ts";
import type { AcpConfig } from "./config.ts";
import { isSignInRequired, messageOf, Unfit } from "./failures.ts";
import { type Peer, PeerGone, peer } from "./peer.ts";
import { type Asked, answerOf, askedBy, decisionLine } from "./permissions.ts";
import type { AcpSession } from "./session.ts";
import { setMode, setModel } from "./session-settings.ts";
import { newTurn, type Turn, takeUpdate, totalUsage } from "./turn.ts";
import { saidWords } from "./words.ts";

/** The parts of a conversation with an agent that its caller provides. */
export interface Around {
  readonly config: AcpConfig;
  readonly cwd: string;
  /** The environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Those of the company. */
  readonly mcpServers?: readonly McpServerOfRun[] | undefined;
  /** A folder outside of the workspace that the session adds; null: none. */
  readonly addedFolder?: string | null;
  /** The session to continue. */
  readonly session: AcpSession | null;
  readonly prompt: (isNew: boolean) => string;
  /** Absent: nobody can be asked. */
  readonly askPermission?: ExecuteContext["askPermission"];
  /** Absent: nobody says anything. */
  readonly words?: Words | null;
  readonly onTaken?: ExecuteContext["onTaken"];
  readonly messagesAgain?: ExecuteContext["messagesAgain"];
  /** Called with the windows of the account's usage that the agent tells. */
  readonly onLimits?: (windows: readonly LimitWindow[]) => void;
  /** Adds a line to the run's log. */
  readonly note: (line: string) => void;
  /** Called with the session as soon as there is one, and when its cost has grown: by so many dollars in this conversation. */
  readonly onSession: (session: AcpSession, costUsd: number | null) => void;
}

/** How a conversation went. */
export interface Conversation {
  readonly turn: Turn;
  /** The session as it is now; null before there was one. */
  session: AcpSession | null;
  /** The cost of the session before this conversation. */
  costBefore: number | null;
  /** The answer to the prompt; null where it did not come. */
  answer: Json | null;
  /** Why it ended without an answer. */
  error: unknown;
  /** The agent's ways to sign in. */
  authMethods: readonly string[];
  /** A request to use a tool was refused. */
  hasRefused: boolean;
  /** The use of the turns before the last one. */
  usageBefore: TokenUsage | null;
}

const protocolVersion = 1;

/** Both ends of a conversation: what the program's lines and its input are connected to. */
export interface Speaker {
  /** Resolves when the conversation is over, however it went. */
  readonly over: Promise<true>;
  hear(line: string): void;
  /** The program has ended. */
  close(): void;
}

/** Begins to converse with an agent by `write`. */
export const converse = (
  write: (line: string) => void,
  around: Around,
): Speaker & { readonly conversation: Conversation } => {
  const turn = newTurn();
  const conversation: Conversation = {
    turn,
    session: null,
    costBefore: null,
    answer: null,
    error: null,
    authMethods: [],
    hasRefused: false,
    usageBefore: null,
  };
  const { config } = around;
  /** Fires when the program has ended. */
  const gone = new AbortController();
  let isReplaying = false;
  let replayed = () => {};
  /** The texts of people in the session, as it repeats them; null where it does not. */
  let saidBefore: string | null = null;
  /** The agent has said something in a turn that began with messages: it has them. */
  let begun = () => {};
  const openQuestions = new Set<() => void>();
  const said = saidWords({
    us: () => us,
    preset: config.preset,
    words: around.words ?? null,
    onTaken: around.onTaken,
    onInterrupt: () => {
      for (const cancel of openQuestions) cancel();
    },
  });
  const us = peer(write, {
    onRequest: (method, params) => {
      if (method === "craft/drainMidTurnQueue" && config.preset.takesWordsBy === "asking")
        return Promise.resolve(said.asked());
      if (method !== "session/request_permission") return undefined;
      const known = turn.calls.get(asText(asObject(params.toolCall)?.toolCallId));
      return permit(askedBy(config.policy, params, known, config.preset.namesServers));
    },
    onNotification: (method, params) => {
      if (method !== "session/update") return;
      const update = asObject(params.update) ?? {};
      if (isReplaying) {
        if (update.sessionUpdate === "available_commands_update") replayed();
        if (update.sessionUpdate === "user_message_chunk")
          saidBefore = `${saidBefore ?? ""}${asText(asObject(update.content)?.text)}`;
        return;
      }
      if (/^agent_|^tool_call/.test(asText(update.sessionUpdate))) begun();
      const limits = asObject(asObject(update._meta)?.["_claude/rateLimit"]);
      if (limits !== null) around.onLimits?.(limitsOf(limits));
      const before = turn.cost;
      takeUpdate(turn, update);
      const { session } = conversation;
      if (turn.cost === before || turn.cost === null || session === null) return;
      conversation.session = { ...session, cost: turn.cost };
      around.onSession(conversation.session, spentOf(conversation));
    },
  });

  /** null: the turn is interrupted, which answers what waits for people. */
  const ask = async (asked: Asked) => {
    let cancel = () => {};
    const cancelled = new Promise<null>((resolve) => {
      cancel = () => resolve(null);
    });
    openQuestions.add(cancel);
    const answer = askPeople(around.askPermission, asked.request);
    return Promise.race([answer, cancelled]).finally(() => openQuestions.delete(cancel));
  };
  const permit = async (asked: Asked): Promise<Json> => {
    const answered = asked.decided === null ? await ask(asked) : null;
    if (said.isInterrupted()) return { outcome: { outcome: "cancelled" } };
    const { answer, isAllowed } = answerOf(
      asked,
      answered === null ? asked.decided === true : answered.allow,
    );
    conversation.hasRefused ||= !isAllowed;
    around.note(decisionLine(asked, isAllowed, config.policy, answered));
    return answer;
  };

  const loadLate = async () => {
    const loaded = new Promise<void>((resolve) => {
      replayed = resolve;
    });
    await Promise.race([loaded, pause(lateReplayMs, gone.signal)]);
  };

  /** Continues the stored session; null where that fails. */
  const resume = async (stored: AcpSession, agent: Json): Promise<Json | null> => {
    const { resume: resumes } = asObject(agent.sessionCapabilities) ?? {};
    const { sessionId } = stored;
    const at = { sessionId, ...sessionAt(agent, around) };
    try {
      // Only a loaded session repeats what it has.
      const mustTell = around.messagesAgain !== undefined && agent.loadSession === true;
      if (asObject(resumes) !== null && !mustTell) return await us.request("session/resume", at);
      if (agent.loadSession !== true) {
        around.note("The agent cannot continue a session: starting a new one.");
        return null;
      }
      if (config.preset.loadsLate) await minuteOver(stored, around.note, gone.signal);
      isReplaying = true;
      if (mustTell) saidBefore = "";
      const loaded = await us.request("session/load", at);
      if (config.preset.loadsLate) await loadLate();
      return loaded;
    } catch (error) {
      if (error instanceof PeerGone || isSignInRequired(error)) throw error;
      around.note(
        `Session ${stored.sessionId} cannot be continued (${messageOf(error)}): starting a new one.`,
      );
      return null;
    } finally {
      isReplaying = false;
    }
  };

  const open = async (agent: Json): Promise<{ readonly opened: Json; readonly isNew: boolean }> => {
    const stored = around.session;
    const resumed = stored === null ? null : await resume(stored, agent);
    if (stored !== null && resumed !== null) {
      conversation.session = stored;
      conversation.costBefore = stored.cost;
      return { opened: resumed, isNew: false };
    }
    const opened = await us.request("session/new", sessionAt(agent, around));
    const sessionId = asText(opened.sessionId);
    if (sessionId === "") throw new Unfit("it answered session/new without a sessionId.");
    conversation.session = {
      sessionId,
      cwd: around.cwd,
      agent: config.agent,
      command: config.command,
      createdAt: new Date().toISOString(),
      cost: null,
    };
    return { opened, isNew: true };
  };

  const talk = async () => {
    const agent = await initialize(us);
    conversation.authMethods = asObjects(agent.authMethods).flatMap(
      ({ name, id }) => asText(name) || asText(id) || [],
    );
    const { opened, isNew } = await open(asObject(agent.agentCapabilities) ?? {});
    const session = conversation.session!;
    around.onSession(session, null);
    const { sessionId } = session;
    await setMode(us, sessionId, opened, config, around.note);
    await setModel(us, sessionId, opened, config);
    const turnOf = (text: string) =>
      us.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    said.begin(agent, sessionId);
    const first = joinPrompt(around.prompt(isNew), ...again(isNew));
    conversation.answer = await turnOf(first);
    for (let more = await said.endTurn(); more.length > 0; more = await said.endTurn()) {
      conversation.usageBefore = totalUsage(conversation, config.preset);
      turn.usageByRequest = null;
      turn.message = null;
      const answer = turnOf(more.map(({ text }) => text).join("\n\n"));
      begun = () => {
        begun = () => {};
        said.taken(more);
      };
      conversation.answer = await answer;
      begun();
    }
    await pause(lateWordsMs, gone.signal);
  };
  /** The messages of which an earlier run does not know whether the session has them, but those that it has. */
  const again = (isNew: boolean): readonly string[] =>
    (around.messagesAgain ?? [])
      .filter(({ text }) => isNew || saidBefore?.includes(text) !== true)
      .map((message) => (isNew || saidBefore !== null ? message.text : againText(message)));

  const over = talk().then(
    () => true as const,
    (error: unknown) => {
      conversation.error = error;
      return true as const;
    },
  );
  return {
    conversation,
    over,
    hear: us.hear,
    close: () => {
      us.close();
      gone.abort();
    },
  };
};

/** @throws Unfit */
export const initialize = async (us: Peer): Promise<Json> => {
  const agent = await us.request("initialize", {
    protocolVersion,
    clientInfo: { name: "boardroom", version: "1" },
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  if (agent.protocolVersion !== protocolVersion)
    throw new Unfit(
      `it speaks version ${JSON.stringify(agent.protocolVersion) ?? "unknown"} of the protocol, and not ${protocolVersion}.`,
    );
  return agent;
};

/** Where a session is, with its tools. */
const sessionAt = (agent: Json, around: Around): Json => {
  const mcpServers = serversFor(agent, around);
  const { sessionMeta } = around.config.preset;
  const meta = sessionMeta === undefined || mcpServers.length === 0 ? {} : { _meta: sessionMeta };
  const takesFolders = asObject(asObject(agent.sessionCapabilities)?.additionalDirectories) !== null;
  const added =
    takesFolders && around.addedFolder != null ? { additionalDirectories: [around.addedFolder] } : {};
  return { cwd: around.cwd, mcpServers, ...added, ...meta };
};

/** The company's servers and the service's own tools; those over HTTP only for an agent that takes them. */
const serversFor = (agent: Json, { config, env, mcpServers = [] }: Around): readonly Json[] => {
  const takesHttp = asObject(agent.mcpCapabilities)?.http === true;
  const textOf = (variable: string) =>
    config.preset.fillsInVariables ? `\${${variable}}` : (env[variable] ?? "");
  const filledIn = (variables: Readonly<Record<string, string>>) =>
    Object.entries(variables).map(([name, variable]) => ({ name, value: textOf(variable) }));
  const servers = mcpServers.flatMap((server): readonly Json[] => {
    if (!("url" in server))
      return [{ name: server.name, command: server.command, args: server.args, env: filledIn(server.env) }];
    const { name, url, headers } = server;
    return takesHttp ? [{ type: "http", name, url, headers: filledIn(headers) }] : [];
  });
  const tools = serviceTools(env);
  if (tools === null || !takesHttp) return servers;
  const { name, url, tokenVariable } = tools;
  const authorization = { name: "Authorization", value: `Bearer ${textOf(tokenVariable)}` };
  return [...servers, { type: "http", name, url, headers: [authorization] }];
};

/** For how long after its answer words of the turn count: agents send them from other tasks than the answer. */
const lateWordsMs = 2_000;
/** For how long a late replay is awaited. */
const lateReplayMs = 2_000;
const minuteMs = 60_000;

/** Waits until the UTC minute is over in which the session was made. */
const minuteOver = async (
  { createdAt }: AcpSession,
  note: (line: string) => void,
  gone: AbortSignal,
): Promise<void> => {
  const now = Date.now();
  const leftMs = (Math.floor(Date.parse(createdAt) / minuteMs) + 1) * minuteMs - now;
  if (leftMs <= 0 || leftMs > minuteMs) return;
  note("This agent loses a session that is loaded in the minute in which it was made: waiting for its end.");
  await pause(leftMs, gone);
};

/** Resolves after that time, or when the program has ended. */
const pause = (ms: number, gone: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    gone.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Whether the turn did nothing that we know. */
export const isEmpty = ({ texts, calls }: Turn): boolean => texts.length === 0 && calls.size === 0;

/** Returns the dollars of this conversation: the agent reports those of its session. null where it does not. */
export const spentOf = ({ turn: { cost }, costBefore }: Conversation): number | null => {
  if (cost === null) return null;
  const before = costBefore ?? 0;
  // An agent that has begun to count anew says less than before.
  return cost < before ? cost : cost - before;
};
