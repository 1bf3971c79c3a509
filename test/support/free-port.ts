import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns a port of an address of this machine that is free at this moment. The system gives programs that ask for any
 * port one from 32768 on, so none of them takes this one meanwhile.
 */
export const freePort = async (host = "127.0.0.1"): Promise<number> => {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    const probe = createServer().listen(port, host);
    const isFree = await once(probe, "listening").then(
      () => true,
      ({ code }: NodeJS.ErrnoException) => {
        if (code !== "EADDRINUSE") throw new Error(`no port on ${host}: ${code}`);
        return false;
      },
    );
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
};
