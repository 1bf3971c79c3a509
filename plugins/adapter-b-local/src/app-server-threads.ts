import { asObject, asText, type Json } from "../../kit/json.ts";

/** The threads in the output of one `codex app-server`: that of the conversation, and those of its sub-agents (0.169.0). */
export interface Threads {
  /** Notes what a line tells about threads. */
  note(line: Json): void;
  /**
   * Returns null for a line of the conversation itself; of a sub-agent the call that started it, or its thread where that
   * call was not seen.
   */
  parentOf(line: Json): string | null;
}

export const newThreads = (): Threads => {
  let own = "";
  /** The calls that started sub-agents, by their threads. */
  const calls = new Map<string, string>();
  return {
    note: ({ id, result, params }) => {
      if (id !== undefined) own = asText(asObject(asObject(result)?.thread)?.id) || own;
      const item = asObject(asObject(params)?.item) ?? {};
      for (const thread of startedBy(item)) if (!calls.has(thread)) calls.set(thread, asText(item.id));
    },
    parentOf: ({ params }) => {
      const thread = asText(asObject(params)?.threadId);
      if (thread === "" || thread === own) return null;
      // A log that is read from its middle names its own thread nowhere.
      return calls.get(thread) ?? (own === "" ? null : thread);
    },
  };
};

/** The threads of the sub-agents that a call starts: `spawn_agent` has two implementations. */
const startedBy = ({ type, tool, kind, receiverThreadIds, agentThreadId }: Json): readonly string[] => {
  if (type === "collabAgentToolCall" && tool === "spawnAgent")
    return (Array.isArray(receiverThreadIds) ? receiverThreadIds : []).map(asText).filter(Boolean);
  return type === "subAgentActivity" && kind === "started" && asText(agentThreadId) !== ""
    ? [asText(agentThreadId)]
    : [];
};
