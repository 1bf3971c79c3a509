import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { BackupFailed } from "../../adapters-infra/backup/backup-failures.ts";
import { claimDataDirectory, DataDirectoryHeld } from "../../adapters-infra/local/data-directory.ts";
import { embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import { runningServerUrl } from "../../adapters-infra/postgres/running-server.ts";
import type { Config } from "./config.ts";
import { openScope } from "./open-scope.ts";

/**
 * Works on the database of the settings: a server's, the embedded one of the service that runs, or the embedded one alone.
 */
export const withDatabase = async <T>(
  { databaseUrl, dataDir, durable }: Pick<Config, "databaseUrl" | "dataDir" | "durable">,
  work: (url: string) => Promise<T>,
): Promise<T> => {
  if (databaseUrl !== null) return work(databaseUrl);
  const directory = join(dataDir, "database");
  if ((await lstat(directory).catch(() => null)) === null)
    throw new BackupFailed(`${dataDir} has no database. SERVICE_DATA_DIR or DATABASE_URL names another one.`);
  const claim = await openScope(claimDataDirectory(dataDir)).catch((error: unknown) => {
    if (error instanceof DataDirectoryHeld) return null;
    throw error;
  });
  if (claim === null) {
    const url = await runningServerUrl(directory);
    if (url === null)
      throw new BackupFailed(`The service in ${dataDir} is starting or stopping. Try again in a moment.`);
    return work(url);
  }
  try {
    const server = await openScope(embeddedServer({ directory, durable, log: () => {} }));
    try {
      return await work(server.value.url);
    } finally {
      await server.close();
    }
  } finally {
    await claim.close();
  }
};
