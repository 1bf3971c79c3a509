"use strict";
const { timedOut } = require("./refusals.js");

const LINGER_MS = 1_000;
const NOTHING = new ArrayBuffer(0);

/**
 * Implements the response of uWebSockets.js, which also receives the request's body, over node:http's two messages.
 *
 * As there: `onAborted` fires at most once and never after `end`; chunks come as ArrayBuffers, with a flag on the
 * last; `write` returns false if the client is behind, and `onWritable` fires when it has caught up.
 */
class EngineResponse {
  /** The whole answer was written; nothing more may follow. */
  #ended = false;
  #aborted = false;
  #closeAfter = false;
  #paused = false;
  #bodyListens = false;
  #offset = 0;
  #status = 200;
  #statusText = "";
  /** @type {string[]} names and values in turn */
  #headers = [];
  /** @type {(() => void) | undefined} */
  #onAborted;
  /** @type {((chunk: ArrayBuffer, isLast: boolean) => void) | undefined} */
  #onData;
  /** @type {((offset: number) => boolean) | undefined} */
  #onWritable;
  /** @type {NodeJS.Timeout | undefined} */
  #bodyStall;
  /** @type {NodeJS.Timeout | undefined} */
  #readerStall;

  /**
   * @param {import("node:http").IncomingMessage} message
   * @param {import("node:http").ServerResponse} answer
   * @param {{ stallMs: number, readerStallMs: number, awaitsContinue: boolean }} options
   */
  constructor(message, answer, options) {
    this.message = message;
    this.answer = answer;
    this.options = options;
    answer.on("close", () => this.lost());
    // A socket that fails during a write emits `close`.
    answer.on("error", () => {});
    message.on("error", () => {});
  }

  /* ---- the request's body ---- */

  /** @param {(chunk: ArrayBuffer, isLast: boolean) => void} handler */
  onData(handler) {
    this.#onData = handler;
    // It waits a tick: on Node 20 a body in the packet of its headers would otherwise arrive before hyper-express is
    // ready, and be lost.
    setImmediate(() => this.#listenToBody());
    return this;
  }

  #listenToBody() {
    if (this.#bodyListens || this.#paused || this.#ended || this.#aborted || this.message.destroyed) return;
    this.#bodyListens = true;
    if (this.options.awaitsContinue) this.answer.writeContinue();
    this.message.on("data", (/** @type {Buffer} */ chunk) => {
      this.#bodyStall?.refresh();
      if (!this.#ended && !this.#aborted) this.#onData?.(exactBytes(chunk), false);
    });
    this.message.on("end", () => {
      clearTimeout(this.#bodyStall);
      if (!this.#ended && !this.#aborted) this.#onData?.(NOTHING, true);
    });
    this.#watchBody();
  }

  pause() {
    this.#paused = true;
    clearTimeout(this.#bodyStall);
    this.#bodyStall = undefined;
    if (this.#bodyListens) this.message.pause();
    return this;
  }

  resume() {
    if (!this.#paused) return this;
    this.#paused = false;
    if (this.#bodyListens) {
      this.message.resume();
      this.#watchBody();
    } else if (this.#onData !== undefined) {
      setImmediate(() => this.#listenToBody());
    }
    return this;
  }

  /** A body may be slow, but must not stall. Only the time in which we wait counts, not our own pauses. */
  #watchBody() {
    if (this.message.complete || this.#ended) return;
    clearTimeout(this.#bodyStall);
    this.#bodyStall = setTimeout(() => this.refuse(timedOut), this.options.stallMs);
  }

  /* ---- the answer ---- */

  /** @param {string} status such as `404 Not Found` */
  writeStatus(status) {
    const space = status.indexOf(" ");
    this.#status = Number(space < 0 ? status : status.slice(0, space));
    this.#statusText = space < 0 ? "" : status.slice(space + 1);
    return this;
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  writeHeader(name, value) {
    this.#headers.push(name, String(value));
    if (name.toLowerCase() === "connection" && String(value).toLowerCase() === "close")
      this.#closeAfter = true;
    return this;
  }

  /** @param {string | ArrayBuffer | Uint8Array} chunk nothing sends the headers alone */
  write(chunk) {
    this.#sendHead(undefined);
    const bytes = asBytes(chunk);
    if (bytes.length === 0) {
      this.answer.flushHeaders();
      return true;
    }
    this.#offset += bytes.length;
    return this.#keptUp(this.answer.write(bytes));
  }

  /**
   * A part of an answer of known length. All of it is taken each time; node:http holds what the client is behind with.
   *
   * @param {string | ArrayBuffer | Uint8Array} chunk
   * @param {number} totalBytes
   * @returns {[sent: boolean, done: boolean]}
   */
  tryEnd(chunk, totalBytes) {
    this.#sendHead(totalBytes);
    const bytes = asBytes(chunk);
    this.#offset += bytes.length;
    const done = this.#offset >= totalBytes;
    const keptUp = bytes.length === 0 || this.answer.write(bytes);
    if (done) this.#finish();
    return [done || this.#keptUp(keptUp), done];
  }

  /**
   * @param {string | ArrayBuffer | Uint8Array} [body]
   * @param {boolean} [closeConnection]
   */
  end(body, closeConnection) {
    if (this.#ended || this.#aborted) return this;
    if (closeConnection) this.#closeAfter = true;
    const bytes = body === undefined || typeof body === "string" ? body : asBytes(body);
    // Nothing in answer to HEAD leaves open what GET would have sent.
    const isUnknown = bytes === undefined && this.message.method === "HEAD";
    this.#sendHead(isUnknown ? undefined : Buffer.byteLength(bytes ?? ""));
    this.#finish(bytes);
    return this;
  }

  /**
   * Headers alone, with the length the body would have: the answer to HEAD.
   *
   * @param {number | string} reportedLength
   * @param {boolean} [closeConnection]
   */
  endWithoutBody(reportedLength, closeConnection) {
    if (this.#ended || this.#aborted) return this;
    if (closeConnection) this.#closeAfter = true;
    this.#sendHead(reportedLength);
    this.#finish();
    return this;
  }

  /** Cuts the connection and everything in progress on it. */
  close() {
    if (this.#ended) this.answer.socket?.destroy();
    else this.#abort();
    this.message.socket.destroy();
    return this;
  }

  /** @param {() => void} work */
  cork(work) {
    // node:http joins the headers and the first chunk by itself.
    work();
    return this;
  }

  getWriteOffset() {
    return this.#offset;
  }

  /** @param {(offset: number) => boolean} handler */
  onWritable(handler) {
    this.#onWritable = handler;
    return this;
  }

  /** @param {() => void} handler */
  onAborted(handler) {
    this.#onAborted = handler;
    return this;
  }

  getRemoteAddressAsText() {
    return new TextEncoder().encode(this.message.socket.remoteAddress ?? "").buffer;
  }

  /** The PROXY protocol is not spoken. */
  getProxiedRemoteAddressAsText() {
    return NOTHING;
  }

  /* ---- beyond uWebSockets.js, for the server ---- */

  /** The connection is gone, or the answer complete. */
  lost() {
    clearTimeout(this.#bodyStall);
    clearTimeout(this.#readerStall);
    if (!this.#ended) this.#abort();
    // The connection refers to this response until its next request, and these refer to the request's body.
    this.#onData = this.#onWritable = this.#onAborted = undefined;
  }

  /** True while the request's body arrives: a connection error then belongs to this request. */
  get isArriving() {
    return !this.message.complete;
  }

  /** Lets the connection end with this answer. */
  closeAfterwards() {
    this.#closeAfter = true;
  }

  /** Whether it has been answered or aborted. */
  get isOver() {
    return this.#ended || this.#aborted;
  }

  /**
   * Answers instead of the handler, which gets an abort. If an answer has already begun, it cuts the connection
   * instead.
   *
   * @param {import("./refusals.js").Refusal} refusal
   */
  refuse({ status, body }) {
    if (this.#ended || this.answer.headersSent) {
      this.close();
      return;
    }
    this.#abort();
    this.#closeAfter = true;
    this.#status = status;
    this.#statusText = "";
    this.#headers = ["content-type", "application/json; charset=utf-8"];
    this.#sendHead(Buffer.byteLength(body));
    this.#finish(body);
  }

  #abort() {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#onAborted?.();
  }

  /** @param {number | string | undefined} length undefined where it is not known */
  #sendHead(length) {
    if (this.answer.headersSent) return;
    if (
      this.#closeAfter &&
      !this.#headers.some((text, at) => at % 2 === 0 && text.toLowerCase() === "connection")
    )
      this.#headers.push("connection", "close");
    const hasNoBody = this.#status === 204 || this.#status === 304;
    if (length !== undefined && !hasNoBody) this.#headers.push("content-length", String(length));
    this.answer.writeHead(this.#status, this.#statusText || undefined, this.#headers);
  }

  /** @param {string | Buffer} [bytes] */
  #finish(bytes) {
    this.#ended = true;
    clearTimeout(this.#bodyStall);
    if (this.#closeAfter && !this.message.complete) this.#lingerAfterwards(this.message.socket);
    this.answer.end(bytes);
    if (!this.answer.writableFinished) this.#watchReader();
  }

  /** @param {import("node:net").Socket} socket */
  #lingerAfterwards(socket) {
    const { destroySoon } = socket;
    // node:http calls it once the answer is flushed.
    socket.destroySoon = () => {
      if (this.message.complete) {
        destroySoon.call(socket);
        return;
      }
      socket.end();
      cutAfterLingering(socket);
      this.message.once("end", () => socket.destroy());
      this.message.resume();
    };
  }

  /** @param {boolean} keptUp */
  #keptUp(keptUp) {
    if (keptUp) return true;
    this.#watchReader();
    this.answer.once("drain", () => {
      clearTimeout(this.#readerStall);
      if (!this.#ended && !this.#aborted) this.#onWritable?.(this.#offset);
    });
    return false;
  }

  /** A client that does not read its answer keeps it in our memory, so it gets limited time. */
  #watchReader() {
    clearTimeout(this.#readerStall);
    this.#readerStall = setTimeout(() => this.message.socket.destroy(), this.options.readerStallMs);
    this.#readerStall.unref();
  }
}

/**
 * A socket closed while its client still sends is reset, and the reset can overtake the answer. So our side ends
 * first, and what still arrives is thrown away for a moment.
 *
 * @param {import("node:net").Socket} socket
 */
function cutAfterLingering(socket) {
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(cut));
}

/** @param {string | ArrayBuffer | Uint8Array} body */
function asBytes(body) {
  if (typeof body === "string") return Buffer.from(body);
  return body instanceof ArrayBuffer
    ? Buffer.from(body)
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/**
 * @param {Buffer} chunk
 * @returns {ArrayBuffer} of these bytes alone; a Buffer's own is often a slab shared with others
 */
function exactBytes(chunk) {
  const { buffer, byteOffset, byteLength } = chunk;
  return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
}

module.exports = { EngineResponse, cutAfterLingering };
