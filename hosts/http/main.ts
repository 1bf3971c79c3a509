import { once, setMaxListeners } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import { type Assembly, type Boardroom, boardroom } from "../composition/app.ts";
import { closeInherited } from "../composition/close-inherited.ts";
import { collectWhenIdle } from "../composition/collect-when-idle.ts";
import { type Config, type Role, readConfig } from "../composition/config.ts";
import { checkout } from "../composition/data-dir.ts";
import { type Log, openLog } from "../composition/log.ts";
import { openScope } from "../composition/open-scope.ts";
import { SettingInvalid } from "../composition/setting-invalid.ts";
import { StartFailed } from "../composition/start-failed.ts";
import { keepYoungGenerationSmall } from "../composition/young-generation.ts";
import { clientOf } from "./client-of.ts";
import { leave, leaveAtTheLatest } from "./leave.ts";
import { AddressInUse, EngineUnavailable, type Listener } from "./listener.ts";
import { openapi } from "./openapi.ts";
import { openPages } from "./pages.ts";
import { type ServerOptions, server } from "./server.ts";
import { startLink } from "./start-link.ts";
import { traceOf } from "./trace-request.ts";

/** How long requests in progress may take to finish when the service stops. */
const drainMs = 10_000;

export interface ServeOptions {
  readonly role?: Role;
  readonly assembly?: Assembly;
}

/** `boardroom serve`: runs the service until SIGTERM or SIGINT, then drains and leaves with 0. */
export const serve = async ({ role = "all", assembly }: ServeOptions = {}): Promise<void> => {
  closeInherited();
  const stopping = new AbortController();
  // The handlers stay registered: Ctrl-C under npm arrives twice, and the second must not cut the draining short.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stopping.abort(signal));
  collectEarly();
  let running: Running;
  try {
    const config = readConfig(process.env, role);
    stopping.signal.addEventListener("abort", () => leaveAtTheLatest(config.drainSec * 1_000 + drainMs));
    const log = openLog(config.logLevel);
    outliveLostConnections(log);
    running = await start(config, log, stopping.signal, assembly);
  } catch (error) {
    // A start may take long, for example while a large database migrates.
    if (stopping.signal.aborted) return await leave();
    if (error instanceof StartFailed || error instanceof SettingInvalid) {
      process.stderr.write(`boardroom cannot start: ${error.message}\n`);
      process.exitCode = 1;
      return;
    }
    throw error;
  }
  keepYoungGenerationSmall(false);
  collectWhenIdle();
  const link = process.stdout.isTTY && running.url !== null ? await startLink(running.boardroom) : null;
  process.stdout.write(greeting(running, link));
  if (!stopping.signal.aborted) await once(stopping.signal, "abort");
  // Ctrl-C is for good; without SERVICE_HANDOVER_SEC so is SIGTERM.
  if (stopping.signal.reason === "SIGTERM") running.boardroom.replace();
  await running.stop();
  // Everything is released, but a database connection that is still opening would keep the process alive.
  await leave();
};

/**
 * V8 lets its old generation grow to four times what lives in it. Under load answers outlive the young one, so that
 * 70 MB of garbage lay next to 25 MB that live. Half as much again costs no measurable processor time.
 */
const collectEarly = (): void => setFlagsFromString("--heap-growing-percent=50");

/**
 * The database client asks about types on each new connection, and where that connection closes meanwhile its failure
 * is an unhandled rejection (postgres 3.4.9, `fetchArrayTypes`). The query that needed the connection fails separately,
 * so this rejection must not end the process. Every other unhandled rejection ends it.
 */
const outliveLostConnections = (log: Log): void => {
  process.on("unhandledRejection", (reason) => {
    const code = (reason as { readonly code?: unknown } | null)?.code;
    if (typeof code !== "string" || !/^(CONNECT(ION)?_|ECONN|EPIPE$|57P)/.test(code)) throw reason;
    log.info({ err: reason }, "a connection to the database closed while it was being opened");
  });
};

export interface Running {
  readonly boardroom: Boardroom;
  /** null for a worker, which does not listen. */
  readonly url: string | null;
  stop(): Promise<void>;
}

/** Starts the service and its web server. Rejects with StartFailed if it cannot start or the signal fires first. */
export const start = async (
  config: Config,
  log: Log,
  signal?: AbortSignal,
  assembly?: Assembly,
): Promise<Running> => {
  const { value, close } = await openScope(open(config, log, assembly), signal);
  const { drain, ...running } = value;
  return {
    ...running,
    stop: async () => {
      await drain();
      await close();
    },
  };
};

/** Continues to answer until balancers have noticed that the service stops, and send nothing more. */
const drained = async (room: Boardroom, listener: Listener): Promise<void> => {
  if (room.config.drainSec === 0) return;
  room.app.service.beginStop();
  listener.closeConnections();
  await pause(room.config.drainSec * 1_000);
};

const open = Effect.fnUntraced(function* (config: Config, log: Log, assembly?: Assembly) {
  const room = yield* boardroom(config, log, openapi, assembly);
  if (config.role === "worker") {
    yield* room.begin(config.publicUrl ?? "");
    return { boardroom: room, url: null, drain: async () => {} };
  }
  const stopping = new AbortController();
  const overdue = new AbortController();
  // Every request in progress and every stream listens.
  setMaxListeners(0, stopping.signal, overdue.signal);
  const listener = yield* Effect.acquireRelease(
    listening(room, log, { stopping: stopping.signal, overdue: overdue.signal }),
    (open) =>
      Effect.promise(() => {
        stopping.abort();
        setTimeout(() => overdue.abort(), drainMs).unref();
        return open.close(drainMs);
      }),
  );
  const url = `http://${reachable(listener.host)}:${listener.port}`;
  yield* serviceFile(join(room.config.dataDir, "service.json"), url);
  yield* room.begin(url);
  return { boardroom: room, url, drain: () => drained(room, listener) };
});

const listening = (
  room: Boardroom,
  log: Log,
  shutdown: Pick<ServerOptions, "stopping" | "overdue">,
): Effect.Effect<Listener, StartFailed> =>
  Effect.tryPromise({
    try: async () => {
      // The listener is loaded here, so that other commands start without it.
      const { listen } = await import("./hyper-express-listener.ts");
      const { host, port, allowedHostnames, metricsToken, publicUrl, requestLimits } = room.config;
      const most = room.config.maxConnectionsPerAddress;
      const pages = await openPages(publicUrl);
      return listen({
        host,
        port,
        ...(most === null ? {} : { perClient: { most, clientOf } }),
        onDefect: (defect) => log.error({ err: defect }, "the web server failed"),
        handle: server(room.app, {
          allowedHostnames,
          metricsToken,
          limits: requestLimits,
          isBehindProxy: publicUrl?.startsWith("https:") ?? false,
          pages,
          ...shutdown,
          onDefect: (cause, request) =>
            log.error(
              { ...traceOf(request), method: request.method, path: request.path, cause: Cause.pretty(cause) },
              "a request failed",
            ),
          onAnswer: room.recordAnswer,
          telemetry: room.telemetry,
        }),
      });
    },
    catch: (error) => {
      const message = explainListenFailure(error, room.config);
      if (message === null) throw error;
      return new StartFailed({ message });
    },
  });

/** Says what is wrong with the address or the HTTP engine that the operator chose; null if neither is at fault. */
const explainListenFailure = (
  error: unknown,
  { host, port }: Pick<Config, "host" | "port">,
): string | null => {
  if (error instanceof EngineUnavailable) return error.message;
  if (error instanceof AddressInUse) return `${error.message} Choose another port with PORT.`;
  switch ((error as NodeJS.ErrnoException).code) {
    case "EACCES":
      return `This user may not listen on ${host}:${port}. Choose another port with PORT.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${host} is not an address of this machine. Choose another with HOST.`;
    default:
      return null;
  }
};

/** The file in which clients on this machine find the service. It exists while the service runs. */
const serviceFile = (path: string, url: string) =>
  Effect.acquireRelease(
    Effect.promise(() => writeFile(path, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 })),
    () => Effect.promise(() => rm(path, { force: true })),
  );

/** Replaces the wildcard address by one that a client can reach. */
const reachable = (host: string): string =>
  host === "0.0.0.0" || host === "::" || host === "" ? "localhost" : host.includes(":") ? `[${host}]` : host;

/** The command of this program: on the PATH when installed, through npx in a checkout. */
const command = (): string => (checkout() === null ? "boardroom" : "npx boardroom");

const separationTexts = {
  separated: "separated from the service and from other companies'",
  partly: "partly separated from the service and from other companies':",
  not: "not separated from the service, and can read its keys and database:",
} as const;

const greeting = (
  { boardroom: { boardTokenPath, separation, limits }, url }: Running,
  link: string | null,
): string =>
  url === null
    ? "boardroom working\n"
    : [
        `boardroom listening on ${url}`,
        ...(link === null ? [] : [`board page, once within ten minutes: ${link}`]),
        `board token in ${boardTokenPath}`,
        `agents are ${separationTexts[separation.level]}`,
        ...separation.gaps.map((gap) => `  ${gap}`),
        ...(limits.gap === null
          ? ["the kernel limits the memory and the processes of each run"]
          : [
              "the memory of a run is limited by samples, and processes only in the sandbox:",
              `  ${limits.gap}`,
            ]),
        `next: \`${command()} open\` signs you in to the board page; \`${command()} demo\` shows an agent at work; \`${command()} --help\` shows the rest`,
        "",
      ].join("\n");
