import type { Heard, HttpResponse, TemplatedApp } from "uWebSockets.js";
import { createServer } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import type { Request, Response, Server } from "hyper-express";
import { ConnectionsFirst } from "./connections-first.ts";
import { Departure } from "./departure.ts";
import {
  AddressInUse,
  EngineUnavailable,
  type HttpRequest,
  type Listen,
  type ListenOptions,
} from "./listener.ts";
import { type BodySource, bodyOf } from "./request-body.ts";
import { backlog, RequestsInProgress } from "./requests-in-progress.ts";
import {
  bodyArrives,
  discard,
  handled,
  onTheWire,
  refusedAtOnce,
  sendStream,
  type WireAnswer,
} from "./wire-answer.ts";

/**
 * Implements the listener over hyper-express 6.17.3. No other file knows hyper-express. It routes everything to one
 * handler and works around the differences between hyper-express and the contract: hyper-express answers HEAD and wrong
 * methods with 404, never ends the body of a request that its client aborts, reads an over-long body to its end, and
 * ends a drain too early. `test/hosts/http` tests each on both engines.
 */
export const listen: Listen = async (options) => {
  const server = await createHyperExpress(options);
  const app = server.uws_instance as TemplatedApp;
  const requests = new RequestsInProgress();
  const connections = new ConnectionsFirst();
  app.onConnection?.(() => connections.accepted());

  server.set_error_handler((_request, response, error) => {
    options.onDefect?.(error);
    if (!response.initiated) response.status(500).send();
  });
  // It is not `async`: hyper-express then calls it directly, before the body begins to arrive.
  server.any("/*", (request, response) => {
    requests.add(serve(request, response, options, connections, () => requests.draining));
  });

  await bind(server, app, options);
  const port = server.port;

  let closed: Promise<void> | undefined;
  const close = async (graceMs: number) => {
    requests.draining = true;
    await requests.received();
    // `shutdown` is not used: it miscounts requests that arrive meanwhile, and ends too early.
    server.close();
    const graceOver = new AbortController();
    const drained = requests.none().then(() => app.gone?.());
    await Promise.race([drained, after(graceMs, undefined, { signal: graceOver.signal })]);
    graceOver.abort();
    app.close();
    await Promise.all([requests.none(), app.gone?.()]);
  };
  return {
    host: options.host,
    port,
    closeConnections: () => {
      requests.draining = true;
    },
    close: (graceMs) => {
      closed ??= close(graceMs);
      return closed;
    },
  };
};

/** Loads hyper-express only when the service listens: the HTTP engine is chosen then, and the CLI never needs it. */
const createHyperExpress = async ({ stallMs, perClient }: ListenOptions): Promise<Server> => {
  try {
    const { default: hyperExpress } = await import("hyper-express");
    const settings = {
      auto_close: false,
      // The handler sets each limit when it takes the body.
      max_body_length: Number.POSITIVE_INFINITY,
      // hyper-express passes its settings on to the HTTP engine.
      backlog,
      ...(stallMs === undefined ? {} : { stallMs }),
      ...(perClient === undefined ? {} : { perClient }),
    };
    return new hyperExpress.Server(settings);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENGINE_UNAVAILABLE")
      throw new EngineUnavailable(error.message, { cause: error.cause });
    throw error;
  }
};

const bind = async (server: Server, app: TemplatedApp, { host, port }: ListenOptions): Promise<void> => {
  const { LIBUS_LISTEN_EXCLUSIVE_PORT } = await import("uWebSockets.js").then(
    (engine) => engine.default ?? engine,
  );
  // The native engine would otherwise share a port in use without an error, and receive every other connection.
  const listenOn = app.listen.bind(app);
  app.listen = (onHost, onPort, ...rest) =>
    listenOn(onHost, onPort, LIBUS_LISTEN_EXCLUSIVE_PORT, rest[rest.length - 1] as Heard);
  try {
    await server.listen(port, host);
  } catch (refused) {
    throw await listenFailure(host, port, refused);
  }
};

/** Finds the cause with node:net; the engine only reports that it cannot listen. */
const listenFailure = (host: string, port: number, refused: unknown): Promise<Error> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === "EADDRINUSE"
          ? new AddressInUse(`${host}:${port} is in use.`, { cause: error })
          : error,
      ),
    );
    probe.listen({ host, port, exclusive: true }, () =>
      probe.close(() => resolve(new Error(`Cannot listen on ${host}:${port}.`, { cause: refused }))),
    );
  });

/** One request from beginning to end. Never rejects. */
const serve = async (
  incoming: Request,
  response: Response,
  { handle, onDefect }: ListenOptions,
  connections: ConnectionsFirst,
  isDraining: () => boolean,
): Promise<void> => {
  const departure = new Departure();
  // This replaces the event of hyper-express, which would turn every response into a stream.
  rawOf(response).onAborted(() => {
    response.completed = true;
    departure.record();
  });
  const body = new ArrivingBody(response, incoming.headers);
  const request = requestOf(incoming, body, connections, departure);
  const unread = refusedAtOnce(request.headers);
  const answer = unread ?? (await handled(request, handle, onDefect));
  if (unread === undefined && !body.isComplete) await bodyArrives();
  if (response.completed) return discard(answer.body);
  try {
    const wire = onTheWire(answer, request.method, onDefect);
    const closing = wire.closes || isDraining() || !body.isComplete || endsConnectionAfter(request, response);
    // A connection that stays paused would never deliver its next request.
    body.release();
    await send(response, wire, closing, departure);
  } catch (defect) {
    onDefect?.(defect);
    response.close();
  }
};

const requestOf = (
  incoming: Request,
  body: ArrivingBody,
  connections: ConnectionsFirst,
  departure: Departure,
): HttpRequest => ({
  method: incoming.method,
  path: incoming.path,
  query: incoming.path_query,
  headers: incoming.headers,
  departure,
  peerAddress: () => incoming.ip || null,
  connectionsAccepted: () => connections.passed(),
  ...bodyOf({
    source: body,
    headers: incoming.headers,
    departure,
    isComplete: () => body.isComplete,
  }),
});

/** The native engine sends no more on a connection after an answer to HEAD that names a length. */
const endsConnectionAfter = ({ method }: HttpRequest, response: Response): boolean =>
  method === "HEAD" && !("gone" in response.app.uws_instance);

const rawOf = (response: Response) => response.raw as unknown as HttpResponse;

/** How much of a body is buffered before the handler reads it. */
const READ_AHEAD_BYTES = 16 * 1024;

/**
 * A body as the engine delivers it. It replaces hyper-express's own parser, which stays paused after a slow reader, ends
 * an aborted body as if it were complete, and pauses a finished request (where the native engine throws an uncatchable
 * error).
 *
 * It reads a little ahead: an answer that ignores a small body then leaves the connection usable.
 */
class ArrivingBody implements BodySource {
  isComplete: boolean;
  readonly #response: Response;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isFlowing = false;
  #isHeld = false;
  #isEnded = false;
  #onData: (chunk: Uint8Array) => void = () => {};
  #onEnd: () => void = () => {};

  constructor(response: Response, headers: HttpRequest["headers"]) {
    this.#response = response;
    this.isComplete = headers["transfer-encoding"] === undefined && !(Number(headers["content-length"]) > 0);
    if (this.isComplete) return;
    rawOf(response).onData((chunk, isLast) => this.#arrives(chunk, isLast));
    // A client that sends Expect gets 100 Continue only when the handler reads the body.
    if (headers.expect !== undefined) this.#hold();
  }

  on(event: "data" | "end", listener: (chunk: Uint8Array) => void): void {
    if (event === "data") this.#onData = listener;
    else this.#onEnd = listener as () => void;
  }

  pause(): void {
    this.#isFlowing = false;
  }

  resume(): void {
    this.#isFlowing = true;
    this.#pass();
    if (this.#isFlowing) this.release();
  }

  /** Lets the engine read on. */
  release(): void {
    if (!this.#isHeld || this.#response.completed) return;
    this.#isHeld = false;
    rawOf(this.#response).resume();
  }

  #hold(): void {
    if (this.#isHeld || this.#response.completed) return;
    this.#isHeld = true;
    rawOf(this.#response).pause();
  }

  #arrives(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#response.completed) return;
    // The chunk is copied because the engine reuses its memory after this call.
    if (chunk.byteLength > 0) this.#waiting.push(Buffer.from(new Uint8Array(chunk)));
    this.#waitingBytes += chunk.byteLength;
    if (isLast) this.isComplete = true;
    if (this.#isFlowing) this.#pass();
    if (!this.isComplete && this.#waitingBytes > READ_AHEAD_BYTES) this.#hold();
  }

  #pass(): void {
    while (this.#isFlowing) {
      const chunk = this.#waiting.shift();
      if (chunk === undefined) break;
      this.#waitingBytes -= chunk.byteLength;
      this.#onData(chunk);
    }
    if (!this.isComplete || this.#isEnded || this.#waiting.length > 0) return;
    this.#isEnded = true;
    this.#onEnd();
  }
}

/**
 * Sends an answer; resolves when the engine has taken all of it. It writes to the engine's own response, because
 * hyper-express would delay the answer until the whole body has arrived, and drops Content-Length from a streamed body.
 */
const send = async (
  response: Response,
  { statusLine, headers, body }: WireAnswer,
  closing: boolean,
  departure: Departure,
): Promise<void> => {
  const raw = rawOf(response);
  response.atomic(() => {
    raw.writeStatus(statusLine);
    for (const [name, value] of headers) raw.writeHeader(name, value);
    if (body.kind === "bytes") raw.end(body.bytes, closing);
    else if (body.kind === "none") {
      if (body.lengthBytes === undefined) raw.end(undefined, closing);
      else raw.endWithoutBody(body.lengthBytes, closing);
    } else {
      if (closing) raw.writeHeader("connection", "close");
      // The headers are sent at once, because a stream of events may be silent for long.
      if (body.lengthBytes === undefined) raw.write("");
    }
  });
  if (body.kind === "stream") {
    const { signal } = departure;
    await sendStream(body, (chunk) => write(response, raw, chunk, body.lengthBytes, signal), signal);
    if (response.completed) return;
    // An answer of known length ends with its last chunk, if it has one.
    if (!body.lengthBytes) response.atomic(() => raw.end());
  }
  response.completed = true;
};

/** Resolves when the client has drained the buffer or disconnected. */
const write = (
  response: Response,
  raw: HttpResponse,
  chunk: Uint8Array,
  lengthBytes: number | undefined,
  aborted: AbortSignal,
): Promise<void> =>
  new Promise((resolve) => {
    response.atomic(() => {
      if (response.completed) return resolve();
      const before = raw.getWriteOffset();
      const put = (rest: Uint8Array) =>
        lengthBytes === undefined ? raw.write(rest) : raw.tryEnd(rest, lengthBytes)[0];
      if (put(chunk)) return resolve();
      const finish = () => {
        aborted.removeEventListener("abort", finish);
        resolve();
      };
      aborted.addEventListener("abort", finish, { once: true });
      response.drain((offset) => {
        // The engine may take only a part of a chunk of an answer of known length; it then asks for the rest.
        const done = response.completed || lengthBytes === undefined || put(chunk.subarray(offset - before));
        if (done) finish();
        return done;
      });
    });
    if (response.completed) resolve();
  });
