import type { McpServer, NewSessionRequest } from "@agentclientprotocol/sdk";
import { asObject, asText, type Json } from "../json.ts";
import { serviceTools } from "../service-tools.ts";
import type { Around, Conversation } from "./conversation-state.ts";
import { isSignInRequired, messageOf, Unfit } from "./failures.ts";
import { pause } from "./pause.ts";
import { ProgramGone, type RpcClient } from "./rpc-client.ts";
import type { AcpSession } from "./session.ts";

const protocolVersion = 1;
/** For how long a late replay is awaited. */
const lateReplayMs = 2_000;
const minuteMs = 60_000;

/** One conversation while it lasts. */
export interface Talk {
  readonly client: RpcClient;
  readonly around: Around;
  readonly conversation: Conversation;
  readonly replay: Replay;
  /** Fires when the program has ended. */
  readonly gone: AbortSignal;
}

/** The updates by which an agent repeats a session that it loads. */
export interface Replay {
  isOpen(): boolean;
  begin(repeatsMessages: boolean): void;
  end(): void;
  receive(update: Json): void;
  /** Resolves when an agent that answers before it has repeated everything has done so. */
  late(gone: AbortSignal): Promise<void>;
  /** The texts of people in the session, as it repeats them; null where it does not. */
  textsOfPeople(): string | null;
}

export const sessionReplay = (): Replay => {
  let isOpen = false;
  let replayed = () => {};
  let texts: string | null = null;
  return {
    isOpen: () => isOpen,
    begin: (repeatsMessages) => {
      isOpen = true;
      if (repeatsMessages) texts = "";
    },
    end: () => {
      isOpen = false;
    },
    receive: (update) => {
      if (update.sessionUpdate === "available_commands_update") replayed();
      if (update.sessionUpdate === "user_message_chunk")
        texts = `${texts ?? ""}${asText(asObject(update.content)?.text)}`;
    },
    late: async (gone) => {
      const loaded = new Promise<void>((resolve) => {
        replayed = resolve;
      });
      await Promise.race([loaded, pause(lateReplayMs, gone)]);
    },
    textsOfPeople: () => texts,
  };
};

/** @throws Unfit */
export const initialize = async (client: RpcClient): Promise<Json> => {
  const agent = await client.request("initialize", {
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

/** Continues the stored session, or begins a new one. */
export const openSession = async (
  talk: Talk,
  agent: Json,
): Promise<{ readonly opened: Json; readonly isNew: boolean }> => {
  const { client, around, conversation } = talk;
  const { config, session: stored } = around;
  const resumed = stored === null ? null : await resume(talk, stored, agent);
  if (stored !== null && resumed !== null) {
    conversation.session = stored;
    conversation.costBefore = stored.cost;
    return { opened: resumed, isNew: false };
  }
  const opened = await client.request("session/new", sessionAt(agent, around));
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

/** Continues the stored session; null where that fails. */
const resume = async (
  { client, around, replay, gone }: Talk,
  stored: AcpSession,
  agent: Json,
): Promise<Json | null> => {
  const { preset } = around.config;
  const { resume: resumes } = asObject(agent.sessionCapabilities) ?? {};
  const { sessionId } = stored;
  const at = { sessionId, ...sessionAt(agent, around) };
  try {
    // Only a loaded session repeats what it has.
    const mustTell = around.messagesAgain !== undefined && agent.loadSession === true;
    if (asObject(resumes) !== null && !mustTell) return await client.request("session/resume", at);
    if (agent.loadSession !== true) {
      around.note("The agent cannot continue a session: starting a new one.");
      return null;
    }
    if (preset.loadsLate) await minuteOver(stored, around.note, gone);
    replay.begin(mustTell);
    const loaded = await client.request("session/load", at);
    if (preset.loadsLate) await replay.late(gone);
    return loaded;
  } catch (error) {
    if (error instanceof ProgramGone || isSignInRequired(error)) throw error;
    around.note(`Session ${stored.sessionId} cannot be continued (${messageOf(error)}): starting a new one.`);
    return null;
  } finally {
    replay.end();
  }
};

/** Where a session is, with its tools. */
const sessionAt = (agent: Json, around: Around): NewSessionRequest => {
  const mcpServers = serversFor(agent, around);
  const { sessionMeta } = around.config.preset;
  const meta = sessionMeta === undefined || mcpServers.length === 0 ? {} : { _meta: sessionMeta };
  const takesFolders = asObject(asObject(agent.sessionCapabilities)?.additionalDirectories) !== null;
  const added =
    takesFolders && around.addedFolder != null ? { additionalDirectories: [around.addedFolder] } : {};
  return { cwd: around.cwd, mcpServers, ...added, ...meta };
};

/** The company's servers and the service's own tools; those over HTTP only for an agent that takes them. */
const serversFor = (agent: Json, { config, env, mcpServers = [] }: Around): McpServer[] => {
  const takesHttp = asObject(agent.mcpCapabilities)?.http === true;
  const textOf = (variable: string) =>
    config.preset.fillsInVariables ? `\${${variable}}` : (env[variable] ?? "");
  const filledIn = (variables: Readonly<Record<string, string>>) =>
    Object.entries(variables).map(([name, variable]) => ({ name, value: textOf(variable) }));
  const servers = mcpServers.flatMap((server): McpServer[] => {
    if (!("url" in server))
      return [
        { name: server.name, command: server.command, args: [...server.args], env: filledIn(server.env) },
      ];
    const { name, url, headers } = server;
    return takesHttp ? [{ type: "http", name, url, headers: filledIn(headers) }] : [];
  });
  const tools = serviceTools(env);
  if (tools === null || !takesHttp) return servers;
  const { name, url, tokenVariable } = tools;
  const authorization = { name: "Authorization", value: `Bearer ${textOf(tokenVariable)}` };
  return [...servers, { type: "http", name, url, headers: [authorization] }];
};

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
