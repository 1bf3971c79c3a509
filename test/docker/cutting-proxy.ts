import { rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";

/** A socket before the engine's, whose connections all break again and again; ever later, so that a slow engine gets on. */
export const cuttingProxy = async (socket: string, firstMs: number) => {
  const path = join(dirname(socket), "cut.sock");
  const open = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const engine = createConnection(socket);
    for (const [one, other] of [
      [client, engine],
      [engine, client],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  let cutting: NodeJS.Timeout;
  const cutIn = (ms: number): void => {
    cutting = setTimeout(() => {
      if (open.size > 0) cuts += 1;
      for (const each of open) each.destroy();
      cutIn(ms * 1.1);
    }, ms);
  };
  cutIn(firstMs);
  return {
    socket: path,
    cuts: () => cuts,
    close: async () => {
      clearTimeout(cutting);
      for (const each of open) each.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(path, { force: true });
    },
  };
};
