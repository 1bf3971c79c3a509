import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

const lowest = 10_240;
const tries = 50;

/**
 * Finds a free port of 127.0.0.1 below the system's range for outgoing connections: while the server restarts, a client
 * that connects to a port of that range can get the same port as its own, talk to itself, and prevent the server from
 * binding the port again.
 */
export const freePort = async (): Promise<number> => {
  const limit = lowestOutgoing();
  for (let attempt = 0; attempt < tries; attempt++) {
    const port = limit > lowest + 1_000 ? randomInt(lowest, limit) : 0;
    const found = await listenable(port);
    if (found !== null) return found;
  }
  throw new Error("no free port on 127.0.0.1 was found");
};

const lowestOutgoing = (): number => {
  try {
    return Number(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s+/)[0]);
  } catch {
    return 32_768;
  }
};

const listenable = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === "object" ? address.port : null));
    });
  });
