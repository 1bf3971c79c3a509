import { type ConnectOpts, Socket, type SocketConstructorOpts } from "node:net";
import type { Readable } from "node:stream";
import * as Effect from "effect/Effect";

/** One output of a program. It is read on request: meanwhile its pipe fills, and the program waits. */
export interface ProgramOutput {
  /** The next bytes, which are valid until the call after it; null at the end. */
  next(): Effect.Effect<Uint8Array | null>;
  destroy(): void;
}

export const outputOf = (readable: Readable): ProgramOutput => ({
  next: () =>
    Effect.callback((resume) => {
      const events = ["readable", "end", "close", "error"] as const;
      const leave = () => {
        for (const event of events) readable.off(event, check);
      };
      const check = () => {
        const chunk: Buffer | null = readable.read();
        if (chunk === null && !readable.readableEnded && !readable.destroyed) return;
        leave();
        resume(Effect.succeed(chunk));
      };
      for (const event of events) readable.on(event, check);
      check();
      return Effect.sync(leave);
    }),
  destroy: () => void readable.destroy(),
});

/** The capacity of a pipe. */
const pipeBytes = 64 * 1024;

/**
 * Reads a named pipe into one buffer. A Readable takes one for each read: of 50 programs that print a lot they were 20 MB
 * before V8 collected them, and the C library keeps what is free between other memory.
 */
export const outputOfPipe = (descriptor: number): ProgramOutput => {
  const buffer = Buffer.allocUnsafeSlow(pipeBytes);
  let length = 0;
  let isOver = false;
  let onNews: (() => void) | null = null;
  const options: SocketConstructorOpts & ConnectOpts = {
    fd: descriptor,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback: (bytes) => {
        length = bytes;
        onNews?.();
        // Reads no more until it is resumed, unless the next bytes are wanted already.
        return onNews !== null;
      },
    },
  };
  const socket = new Socket(options);
  const end = () => {
    isOver = true;
    onNews?.();
  };
  for (const event of ["end", "close", "error"]) socket.on(event, end);
  return {
    next: () =>
      Effect.callback((resume) => {
        const give = () => {
          onNews = null;
          const chunk = length === 0 ? null : buffer.subarray(0, length);
          length = 0;
          resume(Effect.succeed(chunk));
        };
        if (length > 0 || isOver) return give();
        onNews = give;
        socket.resume();
        return Effect.sync(() => {
          onNews = null;
        });
      }),
    destroy: () => void socket.destroy(),
  };
};
