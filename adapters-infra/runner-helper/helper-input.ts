import type { Readable } from "node:stream";
import type { ProgramInput } from "../../ports/agent-adapter.ts";
import type { PersonWaits } from "../../ports/process-runner.ts";
import { readMessage } from "./protocol.ts";

/** Takes the service's messages, each once and in order; confirms the last of those that came together. */
export const messagesOf = (stdin: Readable, confirm: (upTo: number) => void) => {
  let last = 0;
  let rest: string[] = [];
  let known = { isOpen: false, totalMs: 0 };
  let heardAt = 0;
  const waits: PersonWaits = {
    isOpen: () => known.isOpen,
    totalMs: () => known.totalMs + (known.isOpen ? performance.now() - heardAt : 0),
    lastAt: () => (known.isOpen ? performance.now() : heardAt),
    watch: () => () => {},
  };
  const take = (line: string, input: ProgramInput | null): boolean => {
    const message = readMessage(line);
    if (message === null || message.n > last + 1) return false;
    if (message.n <= last) return true;
    last = message.n;
    if (message.text !== undefined) input?.write(message.text);
    if (message.end === true) input?.end();
    if (message.waits !== undefined) {
      known = message.waits;
      heardAt = performance.now();
    }
    return true;
  };
  return {
    waits,
    /** Begins to read; null: the program has no open input. */
    listen: (input: ProgramInput | null): void => {
      stdin.on("error", () => {});
      stdin.setEncoding("utf8").on("data", (chunk: string) => {
        const [first = "", ...others] = chunk.split("\n");
        rest.push(first);
        let hasCome = false;
        for (const next of others) {
          hasCome = take(rest.join(""), input) || hasCome;
          rest = [next];
        }
        // Those that came twice, too: their confirmation may be what was lost.
        if (hasCome) confirm(last);
      });
    },
  };
};
