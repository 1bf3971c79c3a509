import type { PromptRequest } from "@agentclientprotocol/sdk";
import type { ExecuteContext, Word } from "../../../ports/agent-adapter.ts";
import { asObject, asText, type Json } from "../json.ts";
import type { Messages } from "../messages.ts";
import type { Preset } from "./presets.ts";
import { firstJoiningId } from "./requests.ts";
import type { RpcClient } from "./rpc-client.ts";

type Message = Extract<Word, { readonly kind: "message" }>;

/** The words of people in a conversation, by the way in which the agent takes them. */
export interface SessionMessages {
  /** The agent works from now on, and takes words. */
  begin(agent: Json, sessionId: string): void;
  /** The turn is over; resolves with what the next one of the run begins with, if anything. */
  endTurn(): Promise<readonly Message[]>;
  /** The agent has them. */
  accepted(messages: readonly Message[]): void;
  /** Answers an agent that asks for what came in its turn. */
  asked(): Json;
  isInterrupted(): boolean;
}

export interface MessageParts {
  readonly client: () => RpcClient;
  readonly preset: Preset;
  readonly messages: Messages | null;
  readonly onTaken: ExecuteContext["onTaken"];
  /** Answers what the agent asks people, because its turn ends. */
  readonly onInterrupt: () => void;
}

export const sessionMessages = (parts: MessageParts): SessionMessages => {
  const { client, preset, messages, onTaken, onInterrupt } = parts;
  /** For the end of the turn, or until the agent asks for them. */
  const waiting: Message[] = [];
  let way: "steering" | Preset["takesMessagesBy"];
  let session = "";
  let works = false;
  let isInterrupted = false;
  let joins = firstJoiningId;
  let steered = Promise.resolve();
  const open = openRequests();
  const report = (message: Message, how: "queued" | "taken") =>
    void onTaken?.(message.id, how).catch(() => {});
  const wait = (message: Message) => {
    waiting.push(message);
    if (way !== "asking") report(message, "queued");
  };
  /** One after the other: its requests have one id. */
  const steer = (message: Message) => {
    const given = steered.then(async () => {
      const answer = await client()
        .request("_session/steering", {
          ...promptOf(session, message),
          _meta: { steering: { idleBehavior: "promptRequired" } },
        })
        .catch(() => null);
      if (asText(answer?.outcome) === "injected") report(message, "taken");
      else wait(message);
    });
    steered = given;
    open.add(given);
  };
  const join = (message: Message) => {
    joins += 1;
    const given = client().request("session/prompt", promptOf(session, message), joins);
    open.add(
      given.then(
        () => report(message, "taken"),
        () => wait(message),
      ),
    );
  };
  const receive = (message: Word) => {
    if (message.kind === "interrupt") {
      isInterrupted = true;
      client().notify("session/cancel", { sessionId: session });
      onInterrupt();
    } else if (!works) wait(message);
    else if (way === "steering") steer(message);
    else if (way === "prompt") join(message);
    else wait(message);
  };
  return {
    begin: (agent, sessionId) => {
      works = true;
      session = sessionId;
      const meta = asObject(agent._meta) ?? asObject(asObject(agent.agentCapabilities)?._meta);
      way = asObject(meta?.steering)?.supported === true ? "steering" : preset.takesMessagesBy;
      messages?.to(receive);
    },
    endTurn: async () => {
      // An agent may take up after its turn what was said at its end.
      await open.over();
      const undelivered = waiting.splice(0);
      works = undelivered.length > 0 && !isInterrupted;
      if (!works) return [];
      if (way === "asking") for (const message of undelivered) report(message, "queued");
      return undelivered;
    },
    accepted: (messages) => {
      for (const message of messages) report(message, "taken");
    },
    asked: () => {
      const drained = waiting.splice(0);
      for (const message of drained) report(message, "taken");
      return { messages: drained.map(({ text }) => text), hasQueuedPrompt: false };
    },
    isInterrupted: () => isInterrupted,
  };
};

const promptOf = (sessionId: string, { text }: Message): PromptRequest => ({
  sessionId,
  prompt: [{ type: "text", text }],
});

const openRequests = () => {
  const open = new Set<Promise<void>>();
  return {
    add: (given: Promise<void>) => {
      open.add(given);
      void given.then(() => open.delete(given));
    },
    /** Resolves once all have an answer, those that begin meanwhile, too. */
    over: async () => {
      while (open.size > 0) await Promise.all(open);
    },
  };
};
