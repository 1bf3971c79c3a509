"use strict";
const http = require("node:http");
const { expectationFailed, malformed, refusalFor } = require("./refusals.js");
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
  /** Every open connection with its unanswered requests, in order. */
  #connections = /** @type {Map<import("node:net").Socket, Set<EngineResponse>>} */ (new Map());
  /** @type {Promise<void>} */
  #gone = Promise.resolve();

  /** @param {{ stallMs?: number, backlog?: number }} options */
  constructor({ stallMs = DEFAULT_STALL_MS, backlog } = {}) {
    this.stallMs = stallMs;
    this.backlog = backlog;
    this.server = http.createServer({
      insecureHTTPParser: false,
      // We answer ourselves, with the service's own error body.
      requireHostHeader: false,
      headersTimeout: stallMs,
      requestTimeout: stallMs * PATIENCE,
      connectionsCheckingInterval: Math.min(1_000, Math.max(20, stallMs / 4)),
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
    this.server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;
    this.server.on("connection", (socket) => {
      const unanswered = new Set();
      this.#connections.set(socket, unanswered);
      socket.once("close", () => {
        this.#connections.delete(socket);
        // node:http tells only the first of several pipelined answers that its connection is gone.
        for (const response of unanswered) response.lost();
      });
    });
    this.server.on("request", (message, answer) => this.#take(message, answer, false));
    this.server.on("checkContinue", (message, answer) => this.#take(message, answer, true));
    this.server.on("checkExpectation", (message, answer) => this.#disappoint(message, answer));
    this.server.on("clientError", (error, socket) => this.#refuse(error, socket));
  }

  /**
   * @param {import("node:http").IncomingMessage} message
   * @param {import("node:http").ServerResponse} answer
   * @param {boolean} awaitsContinue
   */
  #take(message, answer, awaitsContinue) {
    const { socket } = message;
    const unanswered = this.#connections.get(socket);
    const response = new EngineResponse(message, answer, {
      stallMs: this.stallMs,
      readerStallMs: this.stallMs * PATIENCE,
      awaitsContinue,
    });
    unanswered?.add(response);
    answer.once("close", () => {
      unanswered?.delete(response);
      // An answer that began before the stop has already announced keep-alive.
      if (this.#stopping && unanswered?.size === 0) socket.destroySoon();
    });
    if (isMalformed(message) || this.#handler === undefined) response.refuse(malformed);
    else this.#handler(response, new EngineRequest(message));
  }

  /**
   * An expectation that is none we know of.
   *
   * @param {import("node:http").IncomingMessage} message
   * @param {import("node:http").ServerResponse} answer
   */
  #disappoint(message, answer) {
    const options = { stallMs: this.stallMs, readerStallMs: this.stallMs * PATIENCE, awaitsContinue: false };
    new EngineResponse(message, answer, options).refuse(expectationFailed);
  }

  /**
   * A fault of a connection that the parser or a timeout of node:http found.
   *
   * @param {Error & { code?: string }} error
   * @param {import("node:net").Socket} socket
   */
  #refuse(error, socket) {
    const unanswered = this.#connections.get(socket);
    if (unanswered === undefined || (!socket.writable && !socket.writableEnded)) {
      socket.destroy();
      return;
    }
    // Bytes after a refusal are discarded until the connection is cut.
    if (socket.writableEnded) return;
    const refusal = refusalFor(error.code);
    const arriving = [...unanswered].find((response) => response.isArriving);
    if (arriving !== undefined) {
      arriving.refuse(refusal);
    } else if (unanswered.size > 0) {
      // Garbage after unanswered requests gets no answer: the client would take it for theirs.
      socket.pause();
      for (const response of unanswered)
        response.answer.once("close", () => {
          if (unanswered.size === 0) socket.destroySoon();
        });
    } else {
      socket.end(
        `HTTP/1.1 ${refusal.status} ${http.STATUS_CODES[refusal.status]}\r\n` +
          "content-type: application/json; charset=utf-8\r\n" +
          `content-length: ${Buffer.byteLength(refusal.body)}\r\nconnection: close\r\n\r\n${refusal.body}`,
      );
      cutAfterLingering(socket);
    }
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
    for (const [socket, unanswered] of this.#connections) if (unanswered.size === 0) socket.destroySoon();
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
   * @param {() => void} hear called for each connection that it accepts, one in a turn of the event loop
   */
  onConnection(hear) {
    this.server.on("connection", hear);
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

/** @typedef {{ app: App, port: number }} ListenSocket */

module.exports = { App };
