import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { ProgramPipe } from "../../ports/process-runner.ts";
import { preferAsOomVictim, residentBytes } from "./process-memory.ts";

/** Returns the pipe on descriptor 3 of a program that was started with one. */
export const programPipe = (child: ChildProcess): ProgramPipe => {
  const socket = child.stdio[3] as Socket;
  return {
    listen: (onChunk, onEnd) => {
      socket.on("data", onChunk);
      socket.once("end", onEnd);
    },
    send: (text) => {
      if (socket.writable) socket.write(text);
    },
    backlog: () => socket.writableLength,
    drained: () =>
      new Promise((resolve) => {
        if (socket.writableLength === 0 || socket.destroyed) return resolve();
        socket.once("drain", resolve);
        socket.once("close", resolve);
      }),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    kill: () => void child.kill("SIGKILL"),
    residentBytes: () => residentBytes(child.pid ?? 0),
    preferAsOomVictim: () => preferAsOomVictim(child.pid ?? 0),
  };
};

/** Closes the service's ends, descriptor 4 included. */
export const closePipes = (child: ChildProcess): void => {
  for (const pipe of child.stdio.slice(3)) pipe?.destroy();
};
