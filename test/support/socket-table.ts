import { readFileSync } from "node:fs";

export interface SocketRow {
  readonly isListening: boolean;
  /** Bytes that its program has not read; of a listening socket the connections that it has not accepted. */
  readonly waiting: number;
}

/** The kernel's sockets of 127.0.0.1 at that port; on Linux alone. */
export const socketsAt = (port: number): readonly SocketRow[] => {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, at, , state]) => at === local && (state === "01" || state === "0A"))
    .map(([, , , state, queues]) => ({
      isListening: state === "0A",
      waiting: Number.parseInt(queues!.split(":")[1]!, 16),
    }));
};
