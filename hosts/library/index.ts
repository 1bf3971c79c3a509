import { setMaxListeners } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import { boardroom as assemble } from "../composition/app.ts";
import { readConfig } from "../composition/config.ts";
import { openLog } from "../composition/log.ts";
import { openScope } from "../composition/open-scope.ts";
import { nodeHandler } from "../http/node-handler.ts";
import { openapi } from "../http/openapi.ts";
import { type ServerOptions, server } from "../http/server.ts";
import type { Client } from "./client.ts";
import { httpTransport } from "./http-transport.ts";
import { inProcessTransport } from "./in-process-transport.ts";
import { openClient } from "./open-client.ts";

export type { Client } from "./client.ts";
export { BoardroomError } from "./client-error.ts";
export type { CallOptions } from "./send.ts";
export type { Transport } from "./transport.ts";
export { httpTransport, openClient as createClient };

export interface BoardroomOptions {
  /** The data directory. Created if missing; only one Boardroom may use it at a time. */
  readonly dataDir: string;
  /** A PostgreSQL server; default: an embedded server below dataDir. */
  readonly databaseUrl?: string;
  /**
   * The address of `handler` for agents' programs, such as `http://127.0.0.1:8080`. Without it no agent starts;
   * everything else works.
   */
  readonly url?: string;
  /** Further settings, by the names of docs/configuration.md. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A Boardroom inside another program. */
export interface EmbeddedBoardroom {
  /** Calls as the first board user, without a socket. */
  readonly client: Client;
  /** Makes a client that calls with the token. */
  as(token: string): Client;
  /** Answers requests of a `node:http` server, at paths below /api, and at /metrics and /mcp. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /** Ends running agents, then the database server. */
  close(): Promise<void>;
}

/** Starts a Boardroom inside this program. Rejects with a readable message if it cannot. */
export const createBoardroom = async (options: BoardroomOptions): Promise<EmbeddedBoardroom> => {
  const config = readConfig(
    {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...options.settings,
      SERVICE_DATA_DIR: options.dataDir,
      DATABASE_URL: options.databaseUrl,
      SERVICE_PUBLIC_URL: options.url,
    },
    options.url === undefined ? "api" : "all",
  );
  const log = openLog(config.logLevel);
  const { value: room, close } = await openScope(
    assemble(config, log, openapi).pipe(Effect.tap((room) => room.begin(options.url ?? ""))),
  );
  const stopping = new AbortController();
  // Every open stream listens.
  setMaxListeners(0, stopping.signal);
  const common: ServerOptions = {
    stopping: stopping.signal,
    allowedHostnames: room.config.allowedHostnames,
    metricsToken: room.config.metricsToken,
    onDefect: (cause, { method, path }) =>
      log.error({ method, path, cause: Cause.pretty(cause) }, "a request failed"),
    onAnswer: room.recordAnswer,
  };
  const own = server(room.app, common);
  // Callers from outside are limited; this program is not.
  const fromOutside = server(room.app, { ...common, limits: room.config.requestLimits });
  const as = (token: string) => openClient(inProcessTransport(own, token));
  return {
    client: as((await readFile(room.boardTokenPath, "utf8")).trim()),
    as,
    handler: nodeHandler(fromOutside, (defect) => log.error({ err: defect }, "an answer went wrong")),
    close: () => {
      stopping.abort();
      return close();
    },
  };
};
