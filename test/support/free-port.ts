import { createServer } from "node:net";

/** Returns a port of an address of this machine that is free at this moment. */
export const freePort = (host = "127.0.0.1"): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, host, () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
