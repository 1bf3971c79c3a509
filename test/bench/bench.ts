import { mkdir, mkdtemp, rename, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import postgres from "postgres";
import { type EmbeddedServer, embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import type { Client } from "../../hosts/library/client.ts";
import { memoryOf, processorMs } from "../support/processes.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { Connection } from "./connection.ts";
import { pause } from "./measure.ts";
import type { Options } from "./options.ts";
import { treeMemoryMb } from "./processes.ts";
import { countStatements } from "./statements.ts";

/** The longest duration of a run; a longer one is stuck, and the benchmark with it. */
const idleWithinMs = 120_000;

/** The services of one database, with the functions that rows use to load them. */
export interface Bench {
  readonly options: Options;
  readonly folder: string;
  /** The one that answers, or the first of several. */
  readonly service: ServiceProgram;
  readonly databaseUrl: string;
  readonly sql: postgres.Sql;
  readonly board: Client;
  readonly token: string;
  /**
   * Sends one request of the board on the worker's own connection, to the service whose turn the worker is; fails on an
   * unexpected status.
   */
  call(worker: number, status: number, method: string, path: string, body?: object): Promise<string>;
  urlOf(worker: number): string;
  connection(worker: number): Connection;
  /** Waits until no run is queued or running. */
  idle(): Promise<void>;
  /** The processor time so far, in milliseconds; that of all services together. */
  spent(): { readonly service: number; readonly database: number };
  /** The memory of each service with its programs now, in MB, and last of the database; shared pages counted once. */
  memoriesMb(): readonly number[];
  /** The memory of the first service's own process now, in MB; shared pages counted whole. */
  residentMb(): number;
  /** Runs the work; with `--profile` it writes the service's processor profile under that name. */
  profiled<T>(name: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Of several services, half answer requests and half run agents. */
export const openBench = async (
  options: Options,
  count = 1,
  variables: Readonly<Record<string, string>> = {},
): Promise<Bench> => {
  const scope = Effect.runSync(Scope.make());
  try {
    return await benchIn(scope, options, count, variables);
  } catch (error) {
    await Effect.runPromise(Scope.close(scope, Exit.void));
    throw error;
  }
};

const benchIn = async (
  scope: Scope.Closeable,
  options: Options,
  count: number,
  variables: Readonly<Record<string, string>>,
): Promise<Bench> => {
  /** The last that is opened is closed first. */
  const atEnd = (close: () => Promise<unknown>) =>
    Effect.runSync(Scope.addFinalizer(scope, Effect.promise(close)));
  const folder = await mkdtemp(join(tmpdir(), "boardroom-bench-"));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const database: EmbeddedServer = await Effect.runPromise(
    embeddedServer({ directory: join(folder, "database"), log }).pipe(
      Effect.provideService(Scope.Scope, scope),
    ),
  );
  if (options.statements) await countStatements(database);
  const profiler = fileURLToPath(new URL("../../test/bench/profiler.mjs", import.meta.url));
  const blobs = join(folder, "blobs");
  await mkdir(blobs);
  const services: ServiceProgram[] = [];
  for (let n = 0; n < count; n++) {
    const profile = options.profile !== null && n === 0;
    const env = {
      DATABASE_URL: database.url,
      SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
      SERVICE_LOG_LEVEL: "error",
      SERVICE_MAX_RUNS: "50",
      // As an operator has it: no row may be refused.
      SERVICE_MAX_WAIT_MS: "1000",
      // Its programs report through files of the bench, which a sandbox hides.
      SERVICE_SANDBOX: "off",
      // One row has its receiver of events here.
      SERVICE_OUTBOUND_PRIVATE_HOSTS: "127.0.0.1",
      // One row takes the scheduled backup at its own time.
      SERVICE_BACKUP_TO: join(folder, "backups"),
      SERVICE_BACKUP_AT: "0 0 1 1 *",
      ...variables,
      ...(n === 0 ? {} : { SERVICE_AGENT_URL: services[0]!.url }),
      ...(profile ? { NODE_OPTIONS: `--import=${profiler}`, BENCH_PROFILE: folder } : {}),
    };
    const dataDir = join(folder, `data-${n}`);
    await mkdir(dataDir);
    // They must share logs, as an operator's services do.
    await symlink(blobs, join(dataDir, "blobs"));
    const role = count === 1 ? "all" : n < count / 2 ? "api" : "worker";
    const started = await serveProgram(dataDir, env, ["--role", role]);
    atEnd(() => started.stop());
    services.push(started);
  }
  const service = services[0]!;
  const answering = services.filter(({ url }) => url !== "");
  const [board, token] = [await service.board(), await service.token()];
  // Its connections end with their use: the memory of the one that furnishes would count as the service's.
  const sql = postgres(database.url, { max: 4, idle_timeout: 1, onnotice: () => {} });
  atEnd(() => sql.end({ timeout: 5 }));
  const sockets: Connection[] = [];
  const urlOf = (worker: number) => answering[worker % answering.length]!.url;
  const connection = (worker: number) => {
    sockets[worker] ??= new Connection(urlOf(worker));
    return sockets[worker];
  };
  return {
    options,
    folder,
    service,
    databaseUrl: database.url,
    sql,
    board,
    token,
    urlOf,
    connection,
    call: async (worker, wanted, method, path, body) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const answer = await connection(worker).call(method, path, token, text);
      if (answer.status !== wanted) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
      return answer.body;
    },
    idle: async () => {
      const until = performance.now() + idleWithinMs;
      for (;;) {
        // It queries the database, so that waiting costs the service nothing. Runs of the race are rows without a
        // process.
        const [left] = await sql`
          select (select count(*)::integer from wakes where status = 'pending') as wakes,
                 (
                   select count(*)::integer
                   from   runs
                   left join services on services.id = runs.service_id
                   where  runs.status in ('queued', 'running') and services.host is distinct from 'bench'
                 ) as runs`;
        if (left!.wakes + left!.runs === 0) return;
        if (performance.now() > until)
          throw new Error(`${left!.runs} runs and ${left!.wakes} wakes do not end.`);
        await pause(20);
      }
    },
    spent: () => ({
      service: services.reduce((sum, { child }) => sum + processorMs(child.pid!), 0),
      database: processorMs(database.pid()!),
    }),
    memoriesMb: () => [...services.map(({ child }) => child.pid!), database.pid()!].map(treeMemoryMb),
    residentMb: () => memoryOf(service.child.pid!).rss,
    profiled: async (name, work) => {
      if (options.profile === null) return work();
      service.child.kill("SIGUSR2");
      const result = await work();
      service.child.kill("SIGUSR2");
      const written = join(folder, "service.cpuprofile");
      while ((await stat(written).catch(() => null)) === null) await pause(50);
      await rename(written, join(options.profile, `${name}.cpuprofile`));
      return result;
    },
    close: async () => {
      for (const socket of sockets) socket?.close();
      await Effect.runPromise(Scope.close(scope, Exit.void));
    },
  };
};
