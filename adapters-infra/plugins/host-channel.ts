import type { ProgramPipe } from "../../ports/process-runner.ts";
import { maxMessageBytes } from "./adapter-host-program.ts";

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
  readonly receive: (message: HostMessage, chars: number) => void;
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
export const hostChannel = (
  pipe: ProgramPipe,
  { receive, onBroken, onEnd }: HostChannelEvents,
): HostChannel => {
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
    else receive(message, line.length);
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

/** Cuts a stream into lines. Returns false once a line exceeds the limit; reads nothing after it. */
const messageLines = (maxBytes: number, onLine: (line: string) => void) => {
  let pieces: Buffer[] = [];
  let length = 0;
  return (chunk: Buffer): boolean => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      pieces.push(chunk.subarray(from, at));
      if (length + at - from > maxBytes) return false;
      const line = Buffer.concat(pieces).toString("utf8");
      pieces = [];
      length = 0;
      from = at + 1;
      onLine(line);
    }
    pieces.push(chunk.subarray(from));
    length += chunk.length - from;
    return length <= maxBytes;
  };
};
