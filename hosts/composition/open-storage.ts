import { join } from "node:path";
import * as Effect from "effect/Effect";
import { isAmong } from "../../adapters-infra/local/agent-users.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import { migrate } from "../../adapters-infra/postgres/migrate.ts";
import { backUpBeforeMigration } from "./backup-before-migration.ts";
import { carryOver } from "./carry-over.ts";
import type { Config } from "./config.ts";
import { databaseFailure } from "./database-setting.ts";
import type { Log } from "./log.ts";
import { asStartFailed, StartFailed } from "./start-failed.ts";

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
  yield* backUpBeforeMigration(config, server.url, log);
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

const databaseServer = ({ databaseUrl, databasePool, dataDir, durable, formerPostgres }: Config, log: Log) =>
  databaseUrl === null
    ? Effect.andThen(
        carryOver({ dataDir, durable, formerPostgres }, log),
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
