"use strict";
const http = require("node:http");
const { Connection } = require("./connection.js");
const { expectationFailed, malformed, refusalFor, tooManyConnections } = require("./refusals.js");
const { EngineRequest, isMalformed } = require("./request.js");
const { EngineResponse, cutAfterLingering } = require("./response.js");

const DEFAULT_STALL_MS = 30_000;
/** How much longer than a stall a whole request, or a client's not reading its answer, may last. */
const PATIENCE = 10;
/** Longer than proxies in front of us keep their connections, so that the proxy closes first. */
const KEEP_ALIVE_MS = 65_000;
const MAX_REQUESTS_PER_SOCKET = 10_000;

/**
 * The application of uWebSockets.js over node:http. It routes nothing: the service does, behind one wildcard.
 *
 * @typedef {(response: EngineResponse, request: EngineRequest) => void} Handler
 */
class App {
  /** @type {Handler | undefined} */
  #handler;
  #stopping = false;
  #connections = /** @type {Map<import("node:net").Socket, Connection>} */ (new Map());
  #clients = /** @type {Map<string, number>} the open connections of each client that is counted */ (
    new Map()
  );
  /** @type {Promise<void>} */
  #gone = Promise.resolve();

  /** @param {import("./index.d.ts").EngineOptions} options */
  constructor({ stallMs = DEFAULT_STALL_MS, backlog, perClient } = {}) {
    this.stallMs = stallMs;
    this.backlog = backlog;
    this.perClient = perClient;
    this.server = http.createServer({
      insecureHTTPParser: false,
      // We answer ourselves, with the service's own error body.
      requireHostHeader: false,
      headersTimeout: stallMs,
      requestTimeout: stallMs * PATIENCE,
      connectionsCheckingInterval: Math.min(1_000, Math.max(20, stallMs / 4)),
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
    // node:http would announce the end of the connection, and answer further requests with 503 itself.
    this.server.maxRequestsPerSocket = 0;
    this.server.on("connection", (socket) => this.#connect(socket));
    this.server.on("request", (message, answer) => this.#take(message, answer, false));
    this.server.on("checkContinue", (message, answer) => this.#take(message, answer, true));
    this.server.on("checkExpectation", (message, answer) => this.#disappoint(message, answer));
    this.server.on("clientError", (error, socket) => this.#refuse(error, socket));
  }

  /** @param {import("node:net").Socket} socket */
  #connect(socket) {
    const connection = new Connection(socket);
    this.#connections.set(socket, connection);
    socket.once("close", () => {
      this.#connections.delete(socket);
      // node:http tells only the first of several pipelined answers that its connection is gone.
      for (const response of connection.unanswered) response.lost();
    });
    if (this.perClient !== undefined) this.#count(connection, this.perClient);
  }

  /**
   * @param {Connection} connection
   * @param {import("./index.d.ts").PerClient} perClient
   */
  #count(connection, { most, clientOf }) {
    const { socket } = connection;
    const client = clientOf(socket.remoteAddress ?? "");
    if (client === null) return;
    const open = (this.#clients.get(client) ?? 0) + 1;
    this.#clients.set(client, open);
    socket.once("close", () => {
      const left = (this.#clients.get(client) ?? 0) - 1;
      if (left > 0) this.#clients.set(client, left);
      else this.#clients.delete(client);
    });
    if (open <= most) return;
    connection.refuseRest();
    // An answer takes a moment to arrive, and so many get one.
    if (open > 2 * most) socket.destroy();
    else answerAtOnce(socket, tooManyConnections);
  }

  /**
   * @param {import("node:http").IncomingMessage} message
   * @param {import("node:http").ServerResponse} answer
   * @param {boolean} awaitsContinue
   */
  #take(message, answer, awaitsContinue) {
    this.#arrive(message, answer, awaitsContinue, (response) => {
      if (isMalformed(message) || this.#handler === undefined) response.refuse(malformed);
      else this.#handler(response, new EngineRequest(message));
    });
  }

  /**
   * @param {import("node:http").IncomingMessage} message
   * @param {import("node:http").ServerResponse} answer
   * @param {boolean} awaitsContinue
   * @param {(response: EngineResponse) => void} begin
   */
  #arrive(message, answer, awaitsContinue, begin) {
    const { socket } = message;
    const connection = this.#connections.get(socket);
    const response = new EngineResponse(message, answer, {
      stallMs: this.stallMs,
      readerStallMs: this.stallMs * PATIENCE,
      awaitsContinue,
    });
    if (connection?.requests === MAX_REQUESTS_PER_SOCKET - 1) response.closeAfterwards();
    connection?.arrived(response, () => {
      if (!response.isOver) begin(response);
    });
    answer.once("close", () => {
      // An answer that began before the stop has already announced keep-alive.
      if (this.#stopping && !connection?.isBusy) socket.destroySoon();
    });
  }

  /**
   * An expectation that is none we know of.
   *
   * @param {import("node:http").IncomingMessage} message
   * @param {import("node:http").ServerResponse} answer
   */
  #disappoint(message, answer) {
    this.#arrive(message, answer, false, (response) => response.refuse(expectationFailed));
  }

  /**
   * A fault of a connection that the parser or a timeout of node:http found.
   *
   * @param {Error & { code?: string }} error
   * @param {import("node:net").Socket} socket
   */
  #refuse(error, socket) {
    const connection = this.#connections.get(socket);
    if (connection === undefined || (!socket.writable && !socket.writableEnded)) {
      socket.destroy();
      return;
    }
    connection.refuseRest();
    // Bytes after a refusal are discarded until the connection is cut.
    if (socket.writableEnded) return;
    const refusal = refusalFor(error.code);
    const { unanswered } = connection;
    const arriving = [...unanswered].find((response) => response.isArriving);
    if (arriving !== undefined) {
      arriving.refuse(refusal);
    } else if (unanswered.size > 0) {
      // Garbage after unanswered requests gets no answer: the client would take it for theirs.
      for (const response of unanswered)
        response.answer.once("close", () => {
          if (unanswered.size === 0) socket.destroySoon();
        });
    } else answerAtOnce(socket, refusal);
  }

  /**
   * @param {string} pattern
   * @param {Handler} handler
   */
  any(pattern, handler) {
    if (pattern !== "/*")
      throw new Error(`This engine routes nothing: it takes "/*" alone, not "${pattern}".`);
    this.#handler = handler;
    return this;
  }

  /**
   * @param {string} host
   * @param {number} port
   * @param {[number, (socket: ListenSocket | false) => void] | [(socket: ListenSocket | false) => void]} rest flags
   *   (a port is never shared here, so they say nothing) and what hears the listening socket, or false
   */
  listen(host, port, ...rest) {
    const heard = /** @type {(socket: ListenSocket | false) => void} */ (rest.at(-1));
    const failed = () => heard(false);
    this.server.once("error", failed);
    this.server.listen({ host, port, exclusive: true, backlog: this.backlog }, () => {
      this.server.off("error", failed);
      // Accepting can fail without free file descriptors. That is temporary, so the process continues.
      this.server.on("error", () => {});
      heard({ app: this, port: /** @type {import("node:net").AddressInfo} */ (this.server.address()).port });
    });
    return this;
  }

  /** Takes no new connections and drops the idle ones, including those with an incomplete request. */
  stopListening() {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#gone = new Promise((resolve) => {
      this.server.close(() => resolve());
    });
    for (const [socket, { isBusy }] of this.#connections) if (!isBusy) socket.destroySoon();
  }

  /** As in uWebSockets.js: cuts every connection. */
  close() {
    this.stopListening();
    for (const socket of this.#connections.keys()) socket.destroy();
    return this;
  }

  /**
   * Beyond uWebSockets.js.
   *
   * @param {() => void} listener called for each connection that it accepts, one in a turn of the event loop
   */
  onConnection(listener) {
    this.server.on("connection", listener);
  }

  /** Beyond uWebSockets.js: after `stopListening`, resolves when every connection is gone. */
  gone() {
    return this.#gone;
  }

  /** hyper-express asks for it at its start; there are no server names without TLS. */
  missingServerName() {
    return this;
  }
}

/**
 * Answers where no request is at hand, and closes the connection.
 *
 * @param {import("node:net").Socket} socket
 * @param {import("./refusals.js").Refusal} refusal
 */
function answerAtOnce(socket, { status, body }) {
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  cutAfterLingering(socket);
}

/** @typedef {{ app: App, port: number }} ListenSocket */

module.exports = { App };
