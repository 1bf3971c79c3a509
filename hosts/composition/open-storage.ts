import { join } from "node:path";
import * as Effect from "effect/Effect";
import { backUpBeforeMigration } from "../../adapters-infra/backup/backup-before-migration.ts";
import { sentenceOf } from "../../adapters-infra/backup/sentence-of.ts";
import { FormerPostgresMissing, upgradeCluster } from "../../adapters-infra/backup/upgrade-cluster.ts";
import { isAmong } from "../../adapters-infra/local/agent-users.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import { dueMigrations, migrate } from "../../adapters-infra/postgres/migrate.ts";
import type { Config } from "./config.ts";
import { databaseFailure } from "./database-setting.ts";
import type { Log } from "./log.ts";
import { asStartFailed, StartFailed } from "./start-failed.ts";
import { installationOf } from "./wiring/installation.ts";

/**
 * Opens the pool of the service's database and migrates the schema to this version. The scope closes the pool, then the
 * embedded server.
 */
export const openStorage = Effect.fnUntraced(function* (config: Config, log: Log) {
  const server = yield* databaseServer(config, log);
  if (config.agentUsers !== null && server.uid !== null && isAmong(config.agentUsers, server.uid))
    return yield* new StartFailed({
      message: `SERVICE_AGENT_UID must not hold ${server.uid}: the database server runs as that user, so agents could read all its data.`,
    });
  if (config.databaseUrl !== null) yield* requireUsable(config.databaseUrl);
  yield* requireBackup(config, server.url, log);
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() =>
      openDatabase(server.url, {
        max: config.databasePool,
        idleInTransactionSec: (config.leaseSec * 2) / 3,
      }),
    ),
    (opened) => Effect.promise(() => opened.end({ timeout: 5 })),
  );
  yield* asStartFailed(migrate(pool, { say: (sentence) => log.warn(sentence) })).pipe(
    Effect.catchDefect((defect) =>
      Effect.fail(
        new StartFailed({
          message: `The database answers with an error: ${defect instanceof Error ? defect.message : String(defect)}`,
        }),
      ),
    ),
  );
  return { sql: pool, url: server.url };
});

const requireUsable = (url: string) =>
  Effect.flatMap(
    Effect.promise(() => databaseFailure(url)),
    (message) => (message === null ? Effect.void : Effect.fail(new StartFailed({ message }))),
  );

/**
 * Backs the embedded database up where it is about to be migrated. The database of a server is its operator's: there it
 * says what to do. Without the backup the service does not start, so that the way back is always there.
 */
const requireBackup = (config: Config, url: string, log: Log): Effect.Effect<void, StartFailed> =>
  Effect.tryPromise({
    try: async () => {
      const due = await dueMigrations(url).catch(() => 0);
      if (due === 0) return;
      if (config.databaseUrl !== null) {
        log.warn(
          "The database of a server is migrated without a backup of the service: run `boardroom backup` before each upgrade.",
        );
        return;
      }
      if (!config.backupBeforeMigration) return;
      const file = await backUpBeforeMigration(installationOf({ ...config, databaseUrl: url }));
      log.warn(
        `The database was backed up before its migration: ${file}. To go back, install the former version and run \`boardroom upgrade rollback\`.`,
      );
    },
    catch: (error) =>
      new StartFailed({
        message: `The backup before the migration failed: ${sentenceOf(error)?.message ?? String(error)} Nothing was migrated. To migrate without a backup, set SERVICE_BACKUP_BEFORE_MIGRATION=false.`,
      }),
  });

const upgraded = (config: Config, log: Log): Effect.Effect<void, StartFailed> =>
  Effect.tryPromise({
    try: () =>
      upgradeCluster(installationOf(config), config.formerPostgres, (sentence) => log.warn(sentence)),
    catch: (error) =>
      new StartFailed({
        message:
          error instanceof FormerPostgresMissing
            ? error.message
            : `The database of an older PostgreSQL couldn't be copied and is unchanged: ${sentenceOf(error)?.message ?? String(error)}`,
      }),
  });

const databaseServer = (config: Config, log: Log) => {
  const { databaseUrl, databasePool, dataDir, durable } = config;
  return databaseUrl === null
    ? Effect.andThen(
        upgraded(config, log),
        asStartFailed(
          embeddedServer({
            directory: join(dataDir, "database"),
            durable,
            // In addition to the pool: connections for news and look-ups, and people with psql.
            connections: Math.max(100, databasePool + 50),
            log: (line) => log.info(line),
          }),
        ),
      )
    : Effect.succeed({ url: databaseUrl, uid: null });
};
