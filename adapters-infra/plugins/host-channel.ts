import type { ProgramPipe } from "../../ports/process-runner.ts";
import { maxMessageBytes } from "./adapter-host-program.ts";
import { messageLines } from "./message-lines.ts";

export type HostMessage = Readonly<Record<string, unknown>>;

/** The conversation with an adapter host. */
export interface HostChannel {
  send(message: object): void;
  /** Waited for before more is sent that can wait; undefined where the host keeps up. */
  keepPace(): Promise<void> | undefined;
  /** While it is held, nothing is heard. */
  hold(isHeld: boolean): void;
  close(): void;
}

export interface HostChannelEvents {
  readonly hear: (message: HostMessage, chars: number) => void;
  /** Told once: the host breaks the rules. */
  readonly onBroken: (why: string) => void;
  /** Told when nothing more comes: the host has ended, or will not speak any more. */
  readonly onEnd: () => void;
}

/** Of what the host has not taken in yet. */
const maxBacklogBytes = 64 * 1024 * 1024;
/** Beyond this a program's output waits for it. */
const aheadBytes = 1024 * 1024;

/**
 * Speaks with an adapter host: one JSON message a line, no longer than `maxMessageBytes`, in both directions. This is no
 * vscode-jsonrpc: that library trusts its peer. It takes a message of any length into memory before it looks at it,
 * reads without pause and has no bound on what waits, while the code at the other end here may do anything; and its half
 * of the conversation would have to be loaded in the host from wherever the service lies.
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
  /** One chunk at a time: a host that talks without end does not keep the service from other work. */
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
      if (pipe.backlog() > maxBacklogBytes) broken("did not take in what it was told");
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
