"use strict";

const NOTHING = Buffer.alloc(0);
/** The most bytes that are parsed at once where the end of the present message is not known. */
const PIECE_BYTES = 4_096;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
/** No request is shorter, so that a series of empty lines is not parsed line by line. */
const SHORTEST_HEAD = 16;

/**
 * A connection carries out one request at a time. node:http parses all that it has read, and hands over every request of
 * it at once, also those of a client that has gone. So this class gives the parser one request at a time: the next one
 * begins once the answer to the one before is flushed, in a later turn of the event loop, so that a client with many
 * requests in a packet takes turns with the others. Meanwhile the socket is not read, and its client waits.
 */
class Connection {
  /** @type {Set<import("./response.js").EngineResponse>} the request in progress, and those that `#waiting` has */
  unanswered = new Set();
  /** How many requests have arrived. */
  requests = 0;
  /** Requests that a piece had beyond the one in progress, in order. @type {(() => void)[]} */
  #waiting = [];
  /** Bytes that were read and are not parsed yet. @type {Buffer} */
  #unparsed = NOTHING;
  /** The last request of which the parser has seen the head. @type {import("node:http").IncomingMessage | undefined} */
  #last;
  /** Bytes of its body that are still to come; NaN: not known. */
  #bodyLeft = 0;
  #isBusy = false;
  #isParsing = false;
  #isHeld = false;

  /** @param {import("node:net").Socket} socket to which node:http listens already */
  constructor(socket) {
    this.socket = socket;
    // This listener also makes node:http parse in JavaScript what it would otherwise take from the handle directly.
    const [parse] = socket.listeners("data");
    socket.removeAllListeners("data");
    this.parse = /** @type {(bytes: Buffer) => void} */ (parse);
    socket.on("data", (/** @type {Buffer} */ bytes) => this.#read(bytes));
    socket.once("close", () => this.#drop());
  }

  /** Whether a request is in progress. */
  get isBusy() {
    return this.#isBusy;
  }

  /**
   * To be called for each request that the parser hands over.
   *
   * @param {import("./response.js").EngineResponse} response
   * @param {() => void} begin
   */
  arrived(response, begin) {
    const { message, answer } = response;
    this.requests += 1;
    this.#last = message;
    this.#bodyLeft =
      message.headers["transfer-encoding"] === undefined
        ? Number(message.headers["content-length"] ?? 0)
        : Number.NaN;
    this.unanswered.add(response);
    answer.once("close", () => {
      this.unanswered.delete(response);
      this.#isBusy = false;
      if (this.#waiting.length > 0 || this.#unparsed.length > 0) setImmediate(() => this.#proceed());
    });
    if (this.#isBusy) this.#waiting.push(begin);
    else this.#begin(begin);
  }

  /** Nothing that arrives from now on is parsed. */
  refuseRest() {
    this.#drop();
    this.parse = () => {};
  }

  /** @param {() => void} begin */
  #begin(begin) {
    this.#isBusy = true;
    begin();
  }

  /** @param {Buffer} bytes */
  #read(bytes) {
    this.#unparsed = this.#unparsed.length === 0 ? bytes : Buffer.concat([this.#unparsed, bytes]);
    this.#proceed();
  }

  #proceed() {
    if (this.#isParsing) return;
    if (!this.#isBusy) {
      const begin = this.#waiting.shift();
      if (begin !== undefined) this.#begin(begin);
    }
    this.#isParsing = true;
    while (this.#unparsed.length > 0 && !this.#hasToWait()) {
      const piece = this.#unparsed.subarray(0, this.#pieceBytes());
      this.#unparsed = this.#unparsed.subarray(piece.length);
      this.parse(piece);
    }
    this.#isParsing = false;
    if (this.#unparsed.length > 0) this.#hold();
    else if (this.#isHeld) this.#release();
  }

  /** Whether the next bytes are another request's, which may not begin. */
  #hasToWait() {
    if (this.socket.destroyed) this.#drop();
    else if (this.#last !== undefined && !this.#last.complete) return false;
    // An answer that closes the connection is the last.
    if (this.socket.writableEnded) this.#drop();
    return this.unanswered.size > 0;
  }

  #pieceBytes() {
    const isBody = this.#last !== undefined && !this.#last.complete;
    if (isBody && this.#bodyLeft > 0) {
      const bytes = Math.min(this.#bodyLeft, this.#unparsed.length);
      this.#bodyLeft -= bytes;
      return bytes;
    }
    const end = this.#unparsed.indexOf(END_OF_HEAD, SHORTEST_HEAD - END_OF_HEAD.length);
    return Math.min(end < 0 ? this.#unparsed.length : end + END_OF_HEAD.length, PIECE_BYTES);
  }

  #hold() {
    this.#isHeld = true;
    this.socket.pause();
  }

  #release() {
    this.#isHeld = false;
    this.socket.resume();
  }

  #drop() {
    this.#unparsed = NOTHING;
    this.#waiting = [];
  }
}

module.exports = { Connection };
