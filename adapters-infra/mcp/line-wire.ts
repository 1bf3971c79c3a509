import type { ProgramInput } from "../../ports/agent-adapter.ts";
import { asJson, type Json, resultOf, type Wire } from "./list-tools.ts";

/** A server on standard input and output: a message on each line. */
export const lineWire = (
  input: Pick<ProgramInput, "write">,
): Wire & { receive(line: string): void; close(): void } => {
  const waiting = new Map<number, { resolve(answer: Json): void; reject(error: Error): void }>();
  let lastId = 0;
  const send = (message: Json) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    request: async (method, params) => {
      lastId += 1;
      const id = lastId;
      const answer = new Promise<Json>((resolve, reject) => waiting.set(id, { resolve, reject }));
      send({ id, method, params });
      return resultOf(method, await answer);
    },
    notify: async (method) => send({ method }),
    receive: (line) => {
      let message: Json | null = null;
      try {
        message = asJson(JSON.parse(line));
      } catch {
        return;
      }
      if (message === null || !("result" in message || "error" in message)) return;
      const asked = waiting.get(Number(message.id));
      waiting.delete(Number(message.id));
      asked?.resolve(message);
    },
    close: () => {
      for (const { reject } of waiting.values()) reject(new Error("It has ended."));
      waiting.clear();
    },
  };
};
