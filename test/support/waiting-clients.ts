import { connect } from "node:net";
import { expect, onTestFinished } from "vitest";
import { RawSocket } from "./raw-socket.ts";
import { socketsAt } from "./socket-table.ts";

/**
 * Clients that get those paths over connections of their own, which all wait in the kernel when it resolves: the server
 * must be in this process, and accepts none meanwhile. On Linux alone.
 */
export const waitingClients = async (
  port: number,
  paths: readonly string[],
): Promise<readonly RawSocket[]> => {
  const clients = paths.map((path) => {
    const socket = connect({ host: "127.0.0.1", port });
    onTestFinished(() => void socket.destroy());
    return new RawSocket(socket).request(`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: close");
  });
  // `connect` begins in the next tick.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const waiting = () => socketsAt(port).find(({ isListening }) => isListening)!.waiting;
  for (const until = Date.now() + 20_000; waiting() < paths.length; ) expect(Date.now()).toBeLessThan(until);
  return clients;
};
