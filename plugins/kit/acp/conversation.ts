import { limitsOf } from "../claude-limits.ts";
import { asObject, asObjects, asText, type Json } from "../json.ts";
import { againText } from "../messages.ts";
import { joinPrompt } from "../prompt.ts";
import { type Around, type Conversation, newConversation, spentOf } from "./conversation-state.ts";
import { initialize, openSession, sessionReplay, type Talk } from "./open-session.ts";
import { pause } from "./pause.ts";
import { permits } from "./permits.ts";
import { rpcClient } from "./rpc-client.ts";
import { type SessionMessages, sessionMessages } from "./session-messages.ts";
import { setMode, setModel } from "./session-settings.ts";
import { takeUpdate, totalUsage } from "./turn.ts";

/** Both ends of a conversation: what the program's lines and its input are connected to. */
export interface Speaker {
  /** Resolves when the conversation is over, however it went. */
  readonly over: Promise<true>;
  receive(line: string): void;
  /** The program has ended. */
  close(): void;
}

/** For how long after its answer words of the turn count: agents send them from other tasks than the answer. */
const lateMessagesMs = 2_000;

/** Begins to converse with an agent by `write`. */
export const converse = (
  write: (line: string) => void,
  around: Around,
): Speaker & { readonly conversation: Conversation } => {
  const { preset } = around.config;
  const conversation = newConversation();
  const gone = new AbortController();
  const replay = sessionReplay();
  /** The agent has said something in a turn that began with messages: it has them. */
  const turnBegun: Begun = { note: () => {} };
  const sessionUpdates = sessionMessages({
    client: () => client,
    preset,
    messages: around.messages ?? null,
    onTaken: around.onTaken,
    onInterrupt: () => permitted.cancel(),
  });
  const permitted = permits(around, conversation, sessionUpdates.isInterrupted);
  const client = rpcClient(write, {
    onRequest: (method, params) => {
      if (method === "craft/drainMidTurnQueue" && preset.takesMessagesBy === "asking")
        return Promise.resolve(sessionUpdates.asked());
      return method === "session/request_permission" ? permitted.answer(params) : undefined;
    },
    onNotification: (method, params) => {
      if (method !== "session/update") return;
      const update = asObject(params.update) ?? {};
      if (replay.isOpen()) return replay.receive(update);
      if (/^agent_|^tool_call/.test(asText(update.sessionUpdate))) turnBegun.note();
      recordUpdate(around, conversation, update);
    },
  });
  const over = talkWith(
    { client, around, conversation, replay, gone: gone.signal },
    sessionUpdates,
    turnBegun,
  ).then(
    () => true as const,
    (error: unknown) => {
      conversation.error = error;
      return true as const;
    },
  );
  return {
    conversation,
    over,
    receive: client.receive,
    close: () => {
      client.close();
      gone.abort();
    },
  };
};

interface Begun {
  /** Called with each sign that the agent works on the turn. */
  note: () => void;
}

/** Adds an update to the turn, and reports limits and costs that it changes. */
const recordUpdate = (around: Around, conversation: Conversation, update: Json): void => {
  const { turn, session } = conversation;
  const limits = asObject(asObject(update._meta)?.["_claude/rateLimit"]);
  if (limits !== null) around.onLimits?.(limitsOf(limits));
  const before = turn.cost;
  takeUpdate(turn, update);
  if (turn.cost === before || turn.cost === null || session === null) return;
  conversation.session = { ...session, cost: turn.cost };
  around.onSession(conversation.session, spentOf(conversation));
};

/** Opens the session, gives the agent its prompt, and then, turn by turn, the messages of people. */
const talkWith = async (talk: Talk, sessionUpdates: SessionMessages, turnBegun: Begun): Promise<void> => {
  const { client, around, conversation } = talk;
  const { config } = around;
  const agent = await initialize(client);
  conversation.authMethods = asObjects(agent.authMethods).flatMap(
    ({ name, id }) => asText(name) || asText(id) || [],
  );
  const { opened, isNew } = await openSession(talk, asObject(agent.agentCapabilities) ?? {});
  const session = conversation.session!;
  around.onSession(session, null);
  const { sessionId } = session;
  await setMode(client, sessionId, opened, config, around.note);
  await setModel(client, sessionId, opened, config);
  const turnOf = (text: string) =>
    client.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  sessionUpdates.begin(agent, sessionId);
  conversation.answer = await turnOf(joinPrompt(around.prompt(isNew), ...messagesAgain(talk, isNew)));
  for (let more = await sessionUpdates.endTurn(); more.length > 0; more = await sessionUpdates.endTurn()) {
    conversation.usageBefore = totalUsage(conversation, config.preset);
    conversation.turn.usageByRequest = null;
    conversation.turn.message = null;
    const messages = more;
    const answer = turnOf(messages.map(({ text }) => text).join("\n\n"));
    turnBegun.note = () => {
      turnBegun.note = () => {};
      sessionUpdates.accepted(messages);
    };
    conversation.answer = await answer;
    turnBegun.note();
  }
  await pause(lateMessagesMs, talk.gone);
};

/** The messages that an earlier run may have delivered, without those that the session already contains. */
const messagesAgain = ({ around, replay }: Talk, isNew: boolean): readonly string[] => {
  const known = replay.textsOfPeople();
  return (around.messagesAgain ?? [])
    .filter(({ text }) => isNew || known?.includes(text) !== true)
    .map((message) => (isNew || known !== null ? message.text : againText(message)));
};
