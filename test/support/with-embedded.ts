import { join } from "node:path";
import { embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import { openScope } from "../../hosts/composition/open-scope.ts";

/** Runs the embedded server of a data directory for a while. */
export const withEmbedded = async <T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> => {
  const server = await openScope(
    embeddedServer({ directory: join(dataDir, "database"), durable: false, log: () => {} }),
  );
  try {
    return await work(server.value.url);
  } finally {
    await server.close();
  }
};
