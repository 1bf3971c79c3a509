import type { ProgramPipe } from "../../ports/process-runner.ts";
import { maxMessageBytes } from "./adapter-host-program.ts";
import { messageLines } from "./message-lines.ts";

export type HostMessage = Readonly<Record<string, unknown>>;

/** The message channel to an adapter host. */
export interface HostChannel {
  send(message: object): void;
  /** Resolves when the host has caught up, for messages that can wait; undefined where it keeps up. */
  keepPace(): Promise<void> | undefined;
  /** Pauses or resumes reading. */
  hold(isHeld: boolean): void;
  close(): void;
}

export interface HostChannelEvents {
  readonly hear: (message: HostMessage, chars: number) => void;
  /** Called once: the host breaks the protocol. */
  readonly onBroken: (why: string) => void;
  /** Called when the stream ends: the host has exited or closed its pipe. */
  readonly onEnd: () => void;
}

/** Limit of bytes that the host has not read yet. */
const maxBacklogBytes = 64 * 1024 * 1024;
/** Beyond this, a program's output waits for the host. */
const aheadBytes = 1024 * 1024;

/**
 * Exchanges messages with an adapter host: one JSON message a line, no longer than `maxMessageBytes`, in both
 * directions. vscode-jsonrpc does not fit, because it trusts its peer: it buffers a message of any length, reads
 * without pause and does not bound its queue, while the host runs untrusted code. The host would also have to load the
 * library from the service's folder.
 */
export const hostChannel = (pipe: ProgramPipe, { hear, onBroken, onEnd }: HostChannelEvents): HostChannel => {
  let isClosed = false;
  let isHeld = false;
  let isTakingTurns = false;
  const broken = (why: string) => {
    if (isClosed) return;
    isClosed = true;
    onBroken(why);
  };
  const listen = () => {
    if (isHeld || isTakingTurns) pipe.pause();
    else pipe.resume();
  };
  /** One chunk per turn: a host that writes without end does not block the service. */
  const takeTurns = () => {
    isTakingTurns = true;
    listen();
    setImmediate(() => {
      isTakingTurns = false;
      listen();
    });
  };
  const take = messageLines(maxMessageBytes, (line) => {
    if (isClosed) return;
    const message = parsed(line);
    if (message === null) broken("said something that is no message");
    else hear(message, line.length);
  });
  pipe.listen((chunk) => {
    takeTurns();
    if (!isClosed && !take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)))
      broken(`said more than ${maxMessageBytes / 1024 / 1024} MiB at once`);
  }, onEnd);
  return {
    send: (message) => {
      if (isClosed) return;
      pipe.send(`${JSON.stringify(message)}\n`);
      if (pipe.backlog() > maxBacklogBytes) broken("did not read its input");
    },
    keepPace: () => (!isClosed && pipe.backlog() > aheadBytes ? pipe.drained() : undefined),
    hold: (held) => {
      isHeld = held;
      listen();
    },
    close: () => {
      isClosed = true;
    },
  };
};

const parsed = (line: string): HostMessage | null => {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === "object" && message !== null ? (message as HostMessage) : null;
  } catch {
    return null;
  }
};
