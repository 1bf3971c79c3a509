import type { Writable } from "node:stream";
import type { ProgramInput } from "../../ports/agent-adapter.ts";
import type { ProgramSpec } from "../../ports/process-runner.ts";

/** Writes the program's input, or hands it out open. */
export const feed = (
  stdin: Writable,
  { stdin: text = "", onInput }: ProgramSpec,
  onUnread: () => void,
): void => {
  // A program may close its input unread.
  stdin.on("error", () => {});
  if (onInput === undefined) stdin.end(text);
  else onInput(openInput(stdin, onUnread));
};

/** Limit of an open input that waits for its program. */
export const maxUnreadBytes = 16 * 1024 * 1024;

const openInput = (stdin: Writable, onUnread: () => void): ProgramInput => ({
  write: (text) => {
    if (!stdin.writable) return;
    stdin.write(text);
    if (stdin.writableLength <= maxUnreadBytes) return;
    stdin.destroy();
    onUnread();
  },
  end: () => void stdin.end(),
});
