import { join } from "node:path";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { bindingScopeValues, Container } from "inversify";
import { interruptedCommand } from "../../adapters-infra/backup/restore-marker.ts";
import { serviceKeys } from "../../adapters-infra/local/aes-cipher.ts";
import { claimDataDirectory } from "../../adapters-infra/local/data-directory.ts";
import type { KeyRing } from "../../adapters-infra/local/master-key.ts";
import { clearOrphanedFolders } from "../../adapters-infra/local/orphaned-folders.ts";
import { spawner } from "../../adapters-infra/local/spawner.ts";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { unseenSignIns } from "../../adapters-infra/local/unseen-sign-ins.ts";
import { openVolume } from "../../adapters-infra/local/volume.ts";
import { volumeHolders } from "../../adapters-infra/local/volume-holders.ts";
import { postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { openInstallation } from "../../adapters-infra/postgres/open-installation.ts";
import type { TelemetrySettings } from "../../adapters-infra/telemetry/settings.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LimitKeeper } from "../../ports/process-runner.ts";
import type { Detach, Separation } from "../../ports/sandbox.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { App } from "../api/endpoint/app.ts";
import { boardToken } from "./board-token.ts";
import type { Config } from "./config.ts";
import { repeatJob } from "./jobs/repeat-job.ts";
import type { Log } from "./log.ts";
import { openKeyRing } from "./open-keys.ts";
import { openStorage } from "./open-storage.ts";
import { refuseCopy } from "./refuse-copy.ts";
import { replacement } from "./replacement.ts";
import type { Describe } from "./service-status.ts";
import { asStartFailed, explainFullDisk, StartFailed } from "./start-failed.ts";
import { version } from "./version.ts";
import { coreModule } from "./wiring/core.module.ts";
import type { Foundations } from "./wiring/foundations.ts";
import { infrastructure } from "./wiring/infrastructure.ts";
import { probeBlobs } from "./wiring/open-blobs.ts";
import { openCodeStores } from "./wiring/open-code-stores.ts";
import { openRunners } from "./wiring/open-runners.ts";
import { openHandoverFiles, openSupervisor } from "./wiring/open-supervisor.ts";
import { closeNetwork, isolateAgents } from "./wiring/sandbox.ts";
import { serviceModule } from "./wiring/service.module.ts";
import { T } from "./wiring/tokens.ts";

export interface Boardroom {
  readonly app: App;
  readonly config: Config;
  readonly separation: Separation;
  readonly limits: LimitKeeper;
  /** The file with the first board user's token. */
  readonly boardTokenPath: string;
  /** null: nothing is traced. */
  readonly telemetry: Telemetry | null;
  /** Starts runs; takes the service's address, so call it once the service listens. */
  readonly begin: (url: string) => Effect.Effect<void, never, Scope.Scope>;
  /** Call it before the scope closes where another service is to continue the runs; without a handover nothing changes. */
  readonly replace: () => void;
  readonly recordAnswer: (name: string, status: number, millis: number) => void;
}

export interface Assembly {
  /** The system's clock by default. */
  readonly clock?: Clock;
  /** Replaces bindings before their first use, for tests. */
  readonly replaceParts?: (container: Container) => void;
}

const refuseUnfinishedRestore = Effect.fnUntraced(function* (dataDir: string) {
  const command = yield* Effect.promise(() => interruptedCommand(dataDir));
  if (command === null) return;
  return yield* new StartFailed({
    message: `A restore into ${dataDir} didn't finish. Run \`boardroom ${command}\` again with the same settings.`,
  });
});

/**
 * Assembles the service from a configuration: opens its parts, then the container's modules bind all else. The scope
 * releases them in reverse order.
 */
export const boardroom = Effect.fnUntraced(function* (
  given: Config,
  log: Log,
  describe: Describe,
  { clock = systemClock, replaceParts = () => {} }: Assembly = {},
) {
  const claimed = { ...given, dataDir: (yield* asStartFailed(claimDataDirectory(given.dataDir))).path };
  yield* refuseUnfinishedRestore(claimed.dataDir);
  yield* probeBlobs(claimed, log);
  const opened = yield* openFoundations(claimed, log, clock);
  const { config, separation } = opened;
  const replaced = replacement();
  const container = new Container({ defaultScope: bindingScopeValues.Singleton });
  container.load(coreModule, infrastructure(opened), serviceModule(describe, replaced));
  replaceParts(container);
  if (opened.telemetry !== null)
    yield* opened.telemetry.exportMetrics(Effect.suspend(() => container.get(T.metrics).samples));

  const adapters = container.get(T.adapters);
  // The service listens while external adapters load; runs of their agents wait until then.
  yield* Effect.acquireRelease(adapters.begin(), () => adapters.close());
  if (config.role !== "worker") {
    const hub = container.get(T.eventHub);
    yield* container.get(T.signals).listenForEvents(hub.announce);
    yield* repeatJob(hub.job, (what, cause) => log.error({ cause: String(cause) }, `failure while ${what}`));
  }
  const boardTokenPath = join(config.dataDir, "board-token");
  yield* boardToken(container.get(T.app), boardTokenPath, log);

  const begin = Effect.fnUntraced(function* (url: string) {
    container.get(T.address).listensAt(url);
    if (config.role !== "api") yield* container.get(T.background);
  });
  const room: Boardroom = {
    app: container.get(T.app),
    config,
    separation,
    limits: container.get(T.processes).limits,
    boardTokenPath,
    telemetry: opened.telemetry,
    begin,
    replace: () => {
      if (container.get(T.handover) !== null) replaced.begin();
    },
    recordAnswer: container.get(T.metrics).recordAnswer,
  };
  return room;
}, explainFullDisk);

/** The exporter takes a while to load, and most services have none. */
const traced = Effect.fnUntraced(function* (settings: TelemetrySettings) {
  const { openTelemetry } = yield* Effect.promise(
    () => import("../../adapters-infra/telemetry/open-telemetry.ts"),
  );
  return yield* openTelemetry(settings, version);
});

/** Opens data directory, database, keys and this machine in order, because each step needs those before it. */
const openFoundations = Effect.fnUntraced(function* (claimed: Config, log: Log, clock: Clock) {
  const isolation = yield* isolateAgents(claimed);
  const config = { ...claimed, agentUsers: isolation.users };
  const { dataDir } = config;
  const volume = yield* asStartFailed(openVolume([join(dataDir, "workspaces"), join(dataDir, "homes")]));
  const { sql, url: databaseUrl } = yield* openStorage(config, log);
  const installation = yield* Effect.promise(() =>
    openInstallation(config, sql, (sentence) => log.warn(sentence)),
  );
  const network = yield* closeNetwork(config, isolation.separation, installation, databaseUrl, log);
  const { separation } = network;
  const keyRing = yield* openKeyRing(config, sql);
  const storage = postgresAdapters(sql, clock);
  const holders = volumeHolders(join(dataDir, "workspaces"));
  if (config.role !== "api") yield* refuseCopy(storage.transactor, holders, volume, dataDir);
  const keysOfService = yield* openServiceKeys(keyRing, storage.transactor);
  const signIns = warnOfSignIns(config, isolation, log);
  yield* Effect.promise(() => clearOrphanedFolders());

  const handoverFiles = openHandoverFiles(config, installation, keysOfService);
  const opened: Foundations = {
    config,
    installation,
    log,
    telemetry: config.telemetry === null ? null : yield* traced(config.telemetry),
    clock,
    codeStores: yield* Effect.promise(() =>
      openCodeStores({ dataDir, sandbox: isolation.sandbox, user: userOfGit(isolation) }),
    ),
    databaseUrl,
    storage,
    keyRing,
    serviceKeys: keysOfService,
    pathRules: isolation.rules,
    views: isolation.views,
    sandbox: isolation.sandbox,
    detach: isolation.detach,
    reservedUsers: isolation.reservedUsers,
    unseenSignIns: signIns,
    spawner: process.platform === "linux" ? yield* openSpawner(isolation.detach) : null,
    supervisor: yield* openSupervisor(config, keysOfService, {
      installation,
      detach: isolation.detach,
      guard: network.guard,
    }),
    handoverFiles,
    groups: isolation.groups,
    separation,
    volume,
    volumeHolders: holders,
    runners: yield* openRunners(separation, { config, installation, handoverFiles }),
  };
  return opened;
});

type Isolation = Effect.Success<ReturnType<typeof isolateAgents>>;

const openServiceKeys = (keyRing: KeyRing, transactor: Transactor) =>
  serviceKeys(keyRing, transactor).pipe(
    Effect.mapError(
      () =>
        new StartFailed({
          message: "The master key can't decrypt the service's key in the database.",
        }),
    ),
  );

/** Logs the sign-ins of the service's user that agents with homes of their own do not see. */
const warnOfSignIns = ({ agentEnv }: Config, { sandbox, users }: Isolation, log: Log) => {
  const haveHomes = sandbox !== null || users !== null;
  const signIns = haveHomes ? unseenSignIns(agentEnv.HOME, users) : new Map<string, string>();
  for (const sentence of signIns.values()) log.warn(sentence);
  return signIns;
};

const userOfGit = ({ users, reservedUsers }: Isolation) =>
  users === null ? null : { uid: reservedUsers.packages ?? users.first, gid: users.gid };

const openSpawner = (detach: Detach | null) =>
  Effect.acquireRelease(
    Effect.sync(() => spawner(detach)),
    (each) => Effect.promise(() => each.end()),
  );
