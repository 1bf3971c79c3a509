import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type * as Scope from "effect/Scope";
import { claimDataDirectory } from "../local/data-directory.ts";
import { locateBinaries, majorOf, noBinaries, prepareBinaries } from "./embedded-binaries.ts";
import { freePort } from "./free-port.ts";
import { accountsFor } from "./server-account.ts";
import { clusterIn, clusterMajor, ensureCluster, passwordIn, superuser } from "./server-cluster.ts";
import { clearLeftover, killStragglers } from "./server-leftover.ts";
import { type ServerExit, type ServerProcess, startServer } from "./server-process.ts";
import { serverSettings } from "./server-settings.ts";

export interface EmbeddedServerOptions {
  /**
   * Holds the cluster, its password and, where needed, a copy of the programs. Created (0700) where it is missing;
   * claimed for this process while the scope is open.
   */
  readonly directory: string;
  /** Logs one line about the server for the operator; never a statement or a value. */
  readonly log: (line: string) => void;
  /** false: does not wait for the disk, for tests. A power cut then destroys the database. Default true. */
  readonly durable?: boolean;
  /** How many clients may be connected at once. Default 100. */
  readonly connections?: number;
  /** The `native` directory of another build of PostgreSQL, 17 or newer. Default: the installed package for this platform. */
  readonly binaries?: string;
  /** Where root keeps programs for other accounts. Default /var/lib/boardroom. */
  readonly sharedHome?: string;
}

/** A PostgreSQL server that this process runs. */
export interface EmbeddedServer {
  /** The URL for clients. Stays valid across restarts of the server; contains the password. */
  readonly url: string;
  /** The uid of the server where it is not the service's own. */
  readonly uid: number | null;
  /** The postmaster's current pid; null between a crash and the restart. */
  pid(): number | null;
}

/** The server could not be started; the message gives an operator the reason and the remedy. */
export class EmbeddedServerFailed extends Data.TaggedError("EmbeddedServerFailed")<{
  readonly message: string;
}> {}

/** The server ended instead of accepting connections. */
class EndedAtStart extends Data.TaggedError("EndedAtStart")<{
  readonly exit: ServerExit;
  /** Whether a known obstacle was removed: another attempt may succeed. */
  readonly cleared: boolean;
}> {}

const startAttempts = 20;
const retryMs = 150;
const slowestRestartMs = 5_000;
/** A server that has run this long is restarted without delay. */
const steadyMs = 60_000;

/**
 * Starts a PostgreSQL server and restarts it on the same port when it dies. Closing the scope stops it. It listens on
 * 127.0.0.1 only, with a random password, and works for root and for ordinary users, wherever the data directory is.
 */
export const embeddedServer = (
  options: EmbeddedServerOptions,
): Effect.Effect<EmbeddedServer, EmbeddedServerFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { log, durable = true, connections = 100 } = options;
    const source = options.binaries ?? locateBinaries();
    if (source === null) return yield* new EmbeddedServerFailed({ message: noBinaries() });
    const { path: directory } = yield* claimDataDirectory(options.directory).pipe(
      Effect.mapError(({ message }) => new EmbeddedServerFailed({ message })),
    );
    const cluster = clusterIn(directory);
    const [made, major] = yield* attempt(() => Promise.all([clusterMajor(directory), majorOf(source)]));
    if (made !== null && major !== null && made !== major)
      return yield* new EmbeddedServerFailed({
        message: `The database in ${directory} was made by PostgreSQL ${made}, and this version of the service has PostgreSQL ${major}. ${made < major ? "Start the service: it copies the database, or says what it needs for that." : "Install the version of the service that made it, or a later one."}`,
      });

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
    // Not interruptible, so that no initdb is left behind; it takes about a second.
    yield* Effect.uninterruptible(attempt(() => ensureCluster(directory, binaries, password, durable)));

    const supervised = yield* serverIn({
      cluster,
      log,
      begin: (port) =>
        startServer({
          account: binaries.account,
          postgres: binaries.postgres,
          cluster,
          settings: serverSettings({ major, port, durable, connections }),
          log,
        }),
    });
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
  /** Begins a server process on that port. */
  readonly begin: (port: number) => ServerProcess;
  readonly log: (line: string) => void;
}

/** The server of a cluster across restarts. Closing the scope ends the current process. */
const serverIn = ({ cluster, begin, log }: Supervision) =>
  Effect.gen(function* () {
    let port = 0;
    let server: ServerProcess | null = null;
    let serving: ServerProcess | null = null;
    yield* Effect.addFinalizer(() => Effect.promise(async () => server?.stop()));

    /** Returns null when it accepts connections. An interruption leaves the server to the finalizer. */
    const launch = (): Effect.Effect<ServerExit | null> =>
      Effect.gen(function* () {
        const started = yield* Effect.sync(() => {
          server = begin(port);
          return server;
        });
        if (yield* Effect.promise(() => started.ready)) {
          serving = started;
          return null;
        }
        return yield* Effect.promise(() => started.exited);
      });

    const move = async () => {
      port = await freePort();
    };
    const tryToStart = Effect.gen(function* () {
      yield* attempt(() => clearLeftover(cluster, log));
      const exit = yield* launch();
      if (exit !== null)
        return yield* new EndedAtStart({ exit, cleared: yield* clearObstacle(cluster, exit, move) });
    });
    const start = (): Effect.Effect<void, EmbeddedServerFailed> =>
      Effect.gen(function* () {
        port = yield* attempt(freePort);
        yield* tryToStart.pipe(
          Effect.retry({
            schedule: Schedule.spaced(retryMs),
            times: startAttempts - 1,
            while: (failure) => failure._tag === "EndedAtStart" && failure.cleared,
          }),
          Effect.catchTag("EndedAtStart", ({ exit }) =>
            Effect.fail(
              new EmbeddedServerFailed({
                message: `The embedded PostgreSQL in ${cluster} did not start: ${reasonOf(exit)}`,
              }),
            ),
          ),
        );
      });

    // Not a Schedule: the pause is in the log before it begins, and a server that ran for long resets it.
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
          log(`The embedded PostgreSQL has ended (${reasonOf(exit)}); it restarts in ${waitMs} ms.`);
          yield* Effect.sleep(waitMs);
          since = performance.now();
          yield* attempt(() => clearLeftover(cluster, log)).pipe(
            Effect.andThen(launch()),
            Effect.flatMap((failed) =>
              failed === null
                ? Effect.sync(() => log("The embedded PostgreSQL runs again."))
                : clearObstacle(cluster, failed, null),
            ),
            Effect.catch(({ message }) => Effect.sync(() => log(message))),
          );
        }
      });

    return { start, keepRunning, pid: () => serving?.pid ?? null, port: () => port };
  });

/**
 * Removes what a server that ended has reported: kills orphaned backends; waits for the port, or moves to another. Returns
 * whether another attempt may succeed.
 */
const clearObstacle = (
  cluster: string,
  { lastLines }: ServerExit,
  move: (() => Promise<void>) | null,
): Effect.Effect<boolean, EmbeddedServerFailed> =>
  attempt(async () => {
    const report = lastLines.join("\n");
    if (report.includes("pre-existing shared memory block")) {
      await killStragglers(cluster);
      return true;
    }
    if (!/could not bind|could not create any TCP\/IP sockets/.test(report)) return false;
    await move?.();
    return true;
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
