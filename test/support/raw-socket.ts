import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A response as received. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case, with repeated lines. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decoded where it was chunked. */
  readonly body: string;
}

/** For what is bound to come: a busy machine may take long. */
const patienceMs = 20_000;

export const header = (answer: RawAnswer, name: string): string | undefined =>
  answer.headers.find(([given]) => given === name)?.[1];

/** Registers a test's cleanup; concurrent tests must pass their own. */
export type OnFinished = (cleanUp: () => void | Promise<void>) => void;

/** A client that sends exactly the given bytes. Destroyed at the end of its test. */
export class RawSocket {
  readonly socket: Socket;
  /** The other side has ended or cut the connection. */
  readonly closed: Promise<void>;
  #received = Buffer.alloc(0);
  #isClosed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      const over = () => {
        this.#isClosed = true;
        resolve();
      };
      socket.once("end", over);
      socket.once("close", over);
    });
  }

  static async open(port: number, onFinished: OnFinished = onTestFinished): Promise<RawSocket> {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    await once(socket, "connect");
    onFinished(() => {
      socket.destroy();
    });
    return new RawSocket(socket);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get text(): string {
    return this.#received.toString("latin1");
  }

  /** Lines are joined by CRLF; what is not a line of the head goes into `send`. */
  request(...lines: string[]): this {
    return this.send(`${lines.join("\r\n")}\r\n\r\n`);
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
    return this;
  }

  /** Waits until the received data satisfies the condition; false on a timeout. */
  async until(condition: () => boolean, timeoutMs = patienceMs): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    while (!condition()) {
      if (Date.now() > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return true;
  }

  /** Removes the next complete response from the received data. `toHead`: it will have no body. */
  async answer({ toHead = false } = {}): Promise<RawAnswer> {
    let parsed: Parsed | undefined;
    await this.until(() => {
      parsed = parse(this.text, toHead, this.#isClosed);
      return parsed !== undefined || this.#isClosed;
    });
    if (parsed === undefined) throw new Error(`No complete answer came: ${JSON.stringify(this.text)}`);
    this.#received = this.#received.subarray(parsed.length);
    return parsed.answer;
  }

  /** The server's reaction: a status, a cut connection, or nothing within the time, which is short where silence is due. */
  async outcome(timeoutMs = patienceMs): Promise<number | "closed" | "silent"> {
    await this.until(() => /^HTTP\/1\.1 \d{3}/.test(this.text) || this.#isClosed, timeoutMs);
    const status = /^HTTP\/1\.1 (\d{3})/.exec(this.text);
    if (status !== null) return Number(status[1]);
    return this.#isClosed ? "closed" : "silent";
  }
}

interface Parsed {
  readonly answer: RawAnswer;
  readonly length: number;
}

const parse = (text: string, toHead: boolean, isClosed: boolean): Parsed | undefined => {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  const status = Number(statusLine.split(" ")[1]);
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const value = (name: string) => headers.find(([given]) => given === name)?.[1];
  const start = headEnd + 4;
  if (status < 200) return parseAfter(text, start, toHead, isClosed);
  if (toHead || status === 204 || status === 304)
    return { answer: { status, headers, body: "" }, length: start };
  if (value("transfer-encoding") === "chunked") {
    const chunked = parseChunks(text, start);
    return chunked && { answer: { status, headers, body: chunked.body }, length: chunked.end };
  }
  const length = Number(value("content-length") ?? (isClosed ? text.length - start : Number.NaN));
  if (Number.isNaN(length) || text.length < start + length) return undefined;
  return { answer: { status, headers, body: text.slice(start, start + length) }, length: start + length };
};

/** Skips an interim answer. */
const parseAfter = (text: string, start: number, toHead: boolean, isClosed: boolean): Parsed | undefined => {
  const rest = parse(text.slice(start), toHead, isClosed);
  return rest && { answer: rest.answer, length: rest.length + start };
};

const parseChunks = (text: string, start: number): { body: string; end: number } | undefined => {
  let body = "";
  for (let at = start; ; ) {
    const lineEnd = text.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (text.length < next) return undefined;
    if (size === 0) return { body, end: next };
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = next;
  }
};
