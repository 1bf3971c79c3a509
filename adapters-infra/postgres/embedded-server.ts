import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { claimDataDirectory } from "../local/data-directory.ts";
import { locateBinaries, noBinaries, prepareBinaries, type ServerBinaries } from "./embedded-binaries.ts";
import { freePort } from "./free-port.ts";
import { accountsFor } from "./server-account.ts";
import { clusterIn, ensureCluster, passwordIn, superuser } from "./server-cluster.ts";
import { clearLeftover, killStragglers } from "./server-leftover.ts";
import { type ServerExit, type ServerProcess, startServer } from "./server-process.ts";
import { serverSettings } from "./server-settings.ts";

export interface EmbeddedServerOptions {
  /**
   * Holds the cluster, its password and, where needed, a copy of the programs. Made (0700) where it is missing; claimed
   * for this process as long as the scope is open.
   */
  readonly directory: string;
  /** One line about the server that an operator should see; never a statement or a value. */
  readonly log: (line: string) => void;
  /** False: no waiting for the disk, for tests. A power cut then destroys the database. Default true. */
  readonly durable?: boolean;
  /** The `native` directory of another build of PostgreSQL 18. Default: the installed package for this platform. */
  readonly binaries?: string;
  /** Where root keeps programs that other accounts must reach. Default /var/lib/boardroom. */
  readonly sharedHome?: string;
}

/** A PostgreSQL server that this process runs. */
export interface EmbeddedServer {
  /** For any client. Stays valid when the server is restarted; contains the password. */
  readonly url: string;
  /** Whom it runs as, where that is not the service's own user. */
  readonly uid: number | null;
  /** The postmaster's process now; null between an accident and the restart. */
  pid(): number | null;
}

/** The server could not be started; the message tells an operator why and what to do. */
export class EmbeddedServerFailed extends Data.TaggedError("EmbeddedServerFailed")<{
  readonly message: string;
}> {}

const startAttempts = 20;
const retryMs = 150;
const slowestRestartMs = 5_000;
/** A server that has run this long has earned a quick restart. */
const steadyMs = 60_000;

/**
 * Starts a PostgreSQL server of our own and keeps it running: when it dies it is started again on the same port.
 * Closing the scope stops it. It listens on 127.0.0.1 only, with a random password, and works for root and for
 * ordinary users, wherever the data directory lies.
 */
export const embeddedServer = (
  options: EmbeddedServerOptions,
): Effect.Effect<EmbeddedServer, EmbeddedServerFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { log, durable = true } = options;
    const source = options.binaries ?? locateBinaries();
    if (source === null) return yield* new EmbeddedServerFailed({ message: noBinaries() });
    const { path: directory } = yield* claimDataDirectory(options.directory).pipe(
      Effect.mapError(({ message }) => new EmbeddedServerFailed({ message })),
    );
    const cluster = clusterIn(directory);

    const binaries = yield* Effect.acquireRelease(
      attempt(async () =>
        prepareBinaries({
          source,
          privateHome: directory,
          sharedHome: options.sharedHome ?? "/var/lib/boardroom",
          accounts: await accountsFor(cluster),
        }),
      ),
      (prepared) => Effect.promise(() => prepared.dispose()),
    );
    const password = yield* attempt(() => passwordIn(directory));
    // Not interruptible, so that no initdb is left behind; a second or so.
    yield* Effect.uninterruptible(attempt(() => ensureCluster(directory, binaries, password, durable)));

    const supervised = yield* serverIn({ cluster, binaries, durable, log });
    yield* supervised.start();
    yield* Effect.forkScoped(supervised.keepRunning());

    return {
      url: `postgres://${superuser}:${password}@127.0.0.1:${supervised.port()}/postgres`,
      uid: binaries.account.kind === "user" ? binaries.account.uid : null,
      pid: supervised.pid,
    };
  });

interface Supervision {
  readonly cluster: string;
  readonly binaries: ServerBinaries;
  readonly durable: boolean;
  readonly log: (line: string) => void;
}

/** The server of a cluster over all its lives. The scope's closing ends the one that lives then. */
const serverIn = ({ cluster, binaries, durable, log }: Supervision) =>
  Effect.gen(function* () {
    let port = 0;
    let server: ServerProcess | null = null;
    let serving: ServerProcess | null = null;
    yield* Effect.addFinalizer(() => Effect.promise(async () => server?.stop()));

    /** null when it accepts connections. An interruption leaves the server to the finalizer. */
    const launch = (): Effect.Effect<ServerExit | null> =>
      Effect.gen(function* () {
        const started = yield* Effect.sync(() => {
          server = startServer({
            account: binaries.account,
            postgres: binaries.postgres,
            cluster,
            settings: serverSettings(port, durable),
            log,
          });
          return server;
        });
        if (yield* Effect.promise(() => started.ready)) {
          serving = started;
          return null;
        }
        return yield* Effect.promise(() => started.exited);
      });

    /** Some obstacles go away: an orphaned backend by our hand, an occupied port by choosing or waiting. */
    const clearAway = (
      { lastLines }: ServerExit,
      mayMove: boolean,
    ): Effect.Effect<boolean, EmbeddedServerFailed> =>
      attempt(async () => {
        const said = lastLines.join("\n");
        if (said.includes("pre-existing shared memory block")) {
          await killStragglers(cluster);
          return true;
        }
        if (/could not bind|could not create any TCP\/IP sockets/.test(said)) {
          if (mayMove) port = await freePort();
          return true;
        }
        return false;
      });

    const start = (): Effect.Effect<void, EmbeddedServerFailed> =>
      Effect.gen(function* () {
        port = yield* attempt(freePort);
        for (let tries = 1; ; tries++) {
          yield* attempt(() => clearLeftover(cluster, log));
          const exit = yield* launch();
          if (exit === null) return;
          if (tries === startAttempts || !(yield* clearAway(exit, true))) {
            return yield* new EmbeddedServerFailed({
              message: `The embedded PostgreSQL in ${cluster} did not start: ${reasonOf(exit)}`,
            });
          }
          yield* Effect.sleep(retryMs);
        }
      });

    const keepRunning = (): Effect.Effect<never> =>
      Effect.gen(function* () {
        let deaths = 0;
        let since = performance.now();
        while (true) {
          const running = server;
          if (running === null)
            return yield* Effect.die(new Error("the server is watched before it was started"));
          const exit = yield* Effect.promise(() => running.exited);
          serving = null;
          if (performance.now() - since > steadyMs) deaths = 0;
          const waitMs = deaths === 0 ? 0 : Math.min(slowestRestartMs, retryMs * 2 ** (deaths - 1));
          deaths += 1;
          log(`The embedded PostgreSQL has ended (${reasonOf(exit)}); it is started again in ${waitMs} ms.`);
          yield* Effect.sleep(waitMs);
          since = performance.now();
          yield* attempt(() => clearLeftover(cluster, log)).pipe(
            Effect.andThen(launch()),
            Effect.flatMap((failed) =>
              failed === null
                ? Effect.sync(() => log("The embedded PostgreSQL runs again."))
                : clearAway(failed, false),
            ),
            Effect.catch(({ message }) => Effect.sync(() => log(message))),
          );
        }
      });

    const pid = (): number | null => serving?.pid ?? null;
    return { start, keepRunning, pid, port: () => port };
  });

const reasonOf = ({ how, lastLines }: ServerExit): string => {
  const fatal = lastLines.filter((line) => /^(FATAL|PANIC|HINT|initdb|postgres):/.test(line)).slice(-2);
  return [how, ...fatal].join("; ");
};

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, EmbeddedServerFailed> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      new EmbeddedServerFailed({ message: error instanceof Error ? error.message : String(error) }),
  });
