import { lstat } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { BackupFailed, MasterKeyUnusable } from "../../../adapters-infra/backup/backup-failures.ts";
import type { Installation } from "../../../adapters-infra/backup/installation.ts";
import { claimDataDirectory, DataDirectoryInUse } from "../../../adapters-infra/local/data-directory.ts";
import { embeddedServer } from "../../../adapters-infra/postgres/embedded-server.ts";
import { runningServerUrl } from "../../../adapters-infra/postgres/running-server.ts";
import type { Config } from "../config.ts";
import { databaseFailure } from "../database-setting.ts";
import { openKeyRing, readKeyRing } from "../open-keys.ts";
import { openScope } from "../open-scope.ts";
import { StartFailed } from "../start-failed.ts";
import { version } from "../version.ts";
import { openBackupTarget } from "./open-backup-target.ts";
import { openBlobs } from "./open-blobs.ts";

/** Makes of the settings what backups and moves of companies work on. */
export const installationOf = (config: Config): Installation => {
  const { dataDir, databaseUrl, masterKey, nextMasterKey, publicSettings } = config;
  const startDatabase: Installation["startDatabase"] = async (directory, options) => {
    const { value, close } = await openScope(
      embeddedServer({ directory, durable: config.durable, log: () => {}, ...options }),
    );
    return { url: value.url, close };
  };
  return {
    ...{ version, dataDir, databaseUrl, masterKey, nextMasterKey, publicSettings },
    withDatabase: (work) =>
      databaseUrl === null ? withEmbedded(dataDir, startDatabase, work) : work(databaseUrl),
    databaseFailure,
    startDatabase,
    claim: (directory) => openScope(claimDataDirectory(directory)),
    blobsOf: (directory) => openBlobs({ ...config, dataDir: directory }),
    target: (to) => openBackupTarget(to, config),
    keyRing: (sql, use) =>
      Effect.runPromise((use === "read" ? readKeyRing : openKeyRing)(config, sql)).catch((error: unknown) => {
        throw error instanceof StartFailed ? new MasterKeyUnusable(error.message) : error;
      }),
  };
};

/** Works on the database of the service that runs, or starts the embedded one for it. */
const withEmbedded = async <T>(
  dataDir: string,
  startDatabase: Installation["startDatabase"],
  work: (url: string) => Promise<T>,
): Promise<T> => {
  const directory = join(dataDir, "database");
  if ((await lstat(directory).catch(() => null)) === null)
    throw new BackupFailed(`${dataDir} has no database. SERVICE_DATA_DIR or DATABASE_URL names another one.`);
  const claim = await openScope(claimDataDirectory(dataDir)).catch((error: unknown) => {
    if (error instanceof DataDirectoryInUse) return null;
    throw error;
  });
  if (claim === null) {
    const url = await runningServerUrl(directory);
    if (url === null)
      throw new BackupFailed(`The service in ${dataDir} is starting or stopping. Try again in a moment.`);
    return work(url);
  }
  try {
    const server = await startDatabase(directory);
    try {
      return await work(server.url);
    } finally {
      await server.close();
    }
  } finally {
    await claim.close();
  }
};
