import { statfs } from "node:fs/promises";
import { join } from "node:path";
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { Container } from "inversify";
import { serviceKeys } from "../../adapters-infra/local/aes-cipher.ts";
import { letAgentsThrough } from "../../adapters-infra/local/agent-access.ts";
import { isAmong } from "../../adapters-infra/local/agent-users.ts";
import { claimDataDirectory } from "../../adapters-infra/local/data-directory.ts";
import { loadMasterKey } from "../../adapters-infra/local/master-key.ts";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { uuidIds } from "../../adapters-infra/local/uuid-ids.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import { postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { expectedFingerprint, recordFingerprint } from "../../adapters-infra/postgres/key-fingerprint.ts";
import { migrate } from "../../adapters-infra/postgres/migrate.ts";
import { type Conduct, conductRun } from "../../core/runs/conduct-run.ts";
import type { Clock } from "../../ports/clock.ts";
import type { App } from "../api/endpoint/app.ts";
import { outageIn, recentOutages } from "../api/endpoint/outages.ts";
import type { ServiceStatus } from "../api/endpoint/service-status.ts";
import { type Background, background } from "./background.ts";
import { boardToken } from "./board-token.ts";
import type { Config } from "./config.ts";
import { coreModule } from "./core.module.ts";
import { stoppingAt } from "./crash-points.ts";
import { eventFeed } from "./event-feed.ts";
import { infraModule } from "./infra.module.ts";
import type { Log } from "./log.ts";
import { metrics } from "./metrics.ts";
import { T } from "./tokens.ts";
import { version } from "./version.ts";

/** The service could not be started; the sentence says why and what to do. */
export class StartFailed extends Data.TaggedError("StartFailed")<{ readonly message: string }> {}

export interface Boardroom {
  readonly app: App;
  readonly config: Config;
  /** Where the first board user's token lies. */
  readonly boardTokenPath: string;
  /** Where agents find the service; said once it listens. Runs begin then, not before. */
  readonly begin: (url: string) => Effect.Effect<void, never, Scope.Scope>;
  readonly noteAnswer: (name: string, status: number, millis: number) => void;
}

const asSentence = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, ({ message }) => new StartFailed({ message }));

/**
 * Assembles the service on a configuration: data directory, database, keys, container. All that is acquired belongs to
 * the scope and goes with it, last acquired first. Wiring is inversify's, lifetime is Effect's.
 */
export const boardroom = Effect.fnUntraced(function* (
  config: Config,
  log: Log,
  /** Writes the API description; the host's, as it speaks of HTTP. */
  describe: (version: string) => Readonly<Record<string, unknown>>,
  clock: Clock = systemClock,
) {
  const { path: dataDir } = yield* asSentence(claimDataDirectory(config.dataDir));
  const { agentUsers } = config;
  if (agentUsers !== null && process.getuid?.() === 0)
    yield* Effect.promise(() => letAgentsThrough(dataDir, agentUsers.gid));
  const database =
    config.databaseUrl === null
      ? yield* asSentence(
          embeddedServer({
            directory: join(dataDir, "database"),
            durable: config.durable,
            log: (line) => log.info(line),
          }),
        )
      : { url: config.databaseUrl, uid: null };
  if (agentUsers !== null && database.uid !== null && isAmong(agentUsers, database.uid))
    return yield* new StartFailed({
      message: `SERVICE_AGENT_UID must not hold ${database.uid}: the database engine runs as that user, so that agents could read all that it keeps.`,
    });
  const sql = yield* Effect.acquireRelease(
    Effect.sync(() => openDatabase(database.url, { max: config.databasePool })),
    (pool) => Effect.promise(() => pool.end({ timeout: 5 })),
  );
  yield* asSentence(migrate(sql, { say: (sentence) => log.warn(sentence) })).pipe(
    Effect.catchDefect((defect) =>
      Effect.fail(
        new StartFailed({
          message: `The database does not answer as it should: ${defect instanceof Error ? defect.message : String(defect)}`,
        }),
      ),
    ),
  );
  const keyRing = yield* asSentence(
    loadMasterKey({
      fromEnvironment: config.masterKey,
      nextFromEnvironment: config.nextMasterKey,
      path: join(dataDir, "master.key"),
      expected: yield* expectedFingerprint(sql),
    }),
  );
  if (!(yield* recordFingerprint(sql, keyRing.current.fingerprint)))
    return yield* new StartFailed({
      message:
        "Another service began this database with another master key at the same moment. Services that share a database share the key: set SERVICE_SECRETS_MASTER_KEY.",
    });

  const storage = postgresAdapters(sql, clock);
  const keysOfService = yield* serviceKeys(keyRing, storage.transactor).pipe(
    Effect.mapError(
      () =>
        new StartFailed({
          message: "The service's own key in the database does not open with the master key.",
        }),
    ),
  );

  const startedAt = clock.now();
  let listeningAt: string | null = null;
  let description: Readonly<Record<string, unknown>> | null = null;
  let engineRoom: Background | null = null;
  const meter = metrics();
  const outages = recentOutages(
    () => clock.now(),
    async () => {
      const disk = await statfs(dataDir).catch(() => null);
      return disk === null ? null : disk.bavail * disk.bsize;
    },
  );
  const serviceStatus: ServiceStatus = {
    version,
    role: config.role,
    startedAt,
    attachmentMaxBytes: config.attachmentMaxBytes,
    tickAgeSec: () => (engineRoom === null ? null : Math.round(engineRoom.sinceLastRoundMs() / 100) / 10),
    agentsAreSeparated: agentUsers !== null,
    companiesAreSeparated: agentUsers !== null && agentUsers.first < agentUsers.last,
    address: () => (config.publicUrl ?? listeningAt ?? "").replace(/\/+$/, ""),
    caps: config.caps,
    processContainment: () => container.get(T.processes).containment,
    noteOutage: outages.note,
    recentOutage: outages.recent,
    metrics: () => meter.text(container.get(T.views).operations, clock.now()),
    follow: (companyId, runId) =>
      eventFeed(container.get(T.views).stream, container.get(T.blobs), companyId, runId),
    openapi: () => {
      description ??= describe(version);
      return description;
    },
  };
  const container = new Container();
  container.load(
    coreModule,
    infraModule({
      config: { ...config, dataDir },
      storage,
      keyRing,
      serviceKeys: keysOfService,
      clock,
      serviceStatus,
      log,
    }),
  );

  const adapters = container.get(T.adapters);
  // Strangers' are loaded while the service listens already: their agents' runs wait for them.
  yield* Effect.acquireRelease(adapters.begin(), () => adapters.close());
  const boardTokenPath = join(dataDir, "board-token");
  yield* boardToken(container.get(T.app), container.get(T.transactor), boardTokenPath);

  const begin = Effect.fnUntraced(function* (address: string) {
    listeningAt = address;
    if (config.role === "api") return;
    const processes = container.get(T.processes);
    const conduct: Conduct = {
      runs: container.get(T.runs),
      views: container.get(T.views),
      agentRunner: container.get(T.agentRunner),
      runLogs: container.get(T.runLogs),
      credentials: container.get(T.credentials),
      secrets: container.get(T.secrets),
      workspaces: container.get(T.workspaces),
      catalogue: container.get(T.skillCatalogue),
      baseEnv: config.agentEnv,
      apiUrl: () => config.publicUrl ?? listeningAt ?? "",
      onTrouble: (what, defect) => log.error({ defect }, what),
    };
    engineRoom = yield* background({
      costs: container.get(T.costs),
      service: {
        id: uuidIds.next<"service">(),
        host: processes.here.host,
        pid: processes.here.service.pid,
        processStartedAt: processes.here.service.startedAt,
        role: config.role,
        startedAt,
      },
      routines: container.get(T.routines),
      runs: container.get(T.runs),
      views: container.get(T.views),
      conduct: conductRun(
        config.crashAt === null
          ? conduct
          : stoppingAt(config.crashAt, conduct, {
              transactor: container.get(T.transactor),
              clock,
              ids: uuidIds,
            }),
      ),
      adapters: container.get(T.adapters),
      processes,
      signals: container.get(T.signals),
      idempotency: container.get(T.idempotency),
      assets: container.get(T.assets),
      clock,
      caps: config.caps,
      onTrouble: (what, cause) => {
        const outage = outageIn(cause);
        if (outage !== null) serviceStatus.noteOutage(outage);
        log.error({ cause: String(cause) }, `trouble while ${what}`);
      },
    });
  });
  const room: Boardroom = {
    app: container.get(T.app),
    config: { ...config, dataDir },
    boardTokenPath,
    begin,
    noteAnswer: meter.note,
  };
  return room;
});
