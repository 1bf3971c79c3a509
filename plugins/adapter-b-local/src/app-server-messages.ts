import type { ExecuteContext, Word } from "../../../ports/agent-adapter.ts";
import type { Json } from "../../kit/json.ts";
import type { Messages } from "../../kit/messages.ts";

type Message = Extract<Word, { readonly kind: "message" }>;

/** The words of people in a conversation with `codex app-server`. */
export interface AppServerMessages {
  begin(threadId: string): void;
  turnStarted(turnId: string): void;
  /** Returns whether another turn begins, with what the last one did not take. */
  turnEnded(isCompleted: boolean): boolean;
  /** The program has the message. */
  accepted(messageId: string): void;
  /** Takes an answer to a request of ours; false: it was another request, or no turn begins. */
  answered(requestId: unknown, isRefused: boolean): boolean;
}

/** Requests of the conversation itself have lower ids. */
const firstId = 100;

export const appServerMessages = (
  send: (message: Json) => void,
  messages: Messages | null,
  onTaken: ExecuteContext["onTaken"],
): AppServerMessages => {
  let thread = "";
  let turn: string | null = null;
  let isInterrupted = false;
  /** The message that the next turn begins with. */
  let beginning: string | null = null;
  let lastId = firstId;
  /** Those that the program does not have yet, by their ids. */
  const unaccepted = new Map<string, Message>();
  /** Ids of messages by the requests that gave them. */
  const requests = new Map<number, string>();
  const report = (id: string, how: "queued" | "taken") => void onTaken?.(id, how).catch(() => {});
  const request = (method: string, params: Json): number => {
    lastId += 1;
    send({ id: lastId, method, params: { threadId: thread, ...params } });
    return lastId;
  };
  const given = ({ id, text }: Message): Json => ({
    clientUserMessageId: id,
    input: [{ type: "text", text }],
  });
  const steer = (message: Message) => {
    const id = request("turn/steer", { expectedTurnId: turn, ...given(message) });
    requests.set(id, message.id);
  };
  const interrupt = () => {
    isInterrupted = true;
    if (turn !== null) requests.set(request("turn/interrupt", { turnId: turn }), "");
  };
  const receive = (message: Word) => {
    if (message.kind === "interrupt") return interrupt();
    unaccepted.set(message.id, message);
    if (turn !== null) steer(message);
  };
  return {
    begin: (threadId) => {
      thread = threadId;
    },
    turnStarted: (turnId) => {
      turn = turnId;
      const waiting = [...unaccepted.values()].filter(({ id }) => id !== beginning);
      if (isInterrupted) interrupt();
      else messages?.to(receive);
      for (const message of waiting) steer(message);
    },
    turnEnded: (isCompleted) => {
      turn = null;
      requests.clear();
      // It was in that turn, whether the program has said so or not.
      if (beginning !== null) unaccepted.delete(beginning);
      if (!isCompleted || isInterrupted || unaccepted.size === 0) return false;
      for (const id of unaccepted.keys()) report(id, "queued");
      // The first begins the turn; it takes the others in as soon as it has started.
      const [first] = unaccepted.values();
      beginning = first!.id;
      requests.set(request("turn/start", given(first!)), beginning);
      return true;
    },
    accepted: (messageId) => {
      if (unaccepted.delete(messageId)) report(messageId, "taken");
    },
    answered: (requestId, isRefused) => {
      const id = typeof requestId === "number" ? requests.get(requestId) : undefined;
      if (id === undefined) return typeof requestId === "number" && requestId > firstId;
      requests.delete(requestId as number);
      // Another that is refused came as its turn ended: the next turn begins with it.
      return !(isRefused && id === beginning);
    },
  };
};
