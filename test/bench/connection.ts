import { connect, type Socket } from "node:net";

/** One kept-alive connection of a minimal client, so that the figures show the service. */
export class Connection {
  readonly #url: URL;
  #socket: Socket | null = null;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (answer: Answered) => void; reject: (error: Error) => void } | null = null;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Sends one request at a time. */
  call(method: string, path: string, token: string, body?: string, headers = ""): Promise<Answered> {
    const length =
      body === undefined
        ? ""
        : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    return new Promise((resolve, reject) => {
      if (this.#waiting !== null) throw new Error("A connection takes one request at a time.");
      this.#waiting = { resolve, reject };
      // The service has closed a connection that was idle for long.
      this.#socket ??= this.#open();
      this.#socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: ${this.#url.host}\r\nauthorization: Bearer ${token}\r\n${headers}${length}\r\n${body ?? ""}`,
      );
    });
  }

  close(): void {
    this.#waiting = null;
    this.#socket?.destroy();
  }

  #open(): Socket {
    const { hostname, port } = this.#url;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("error", (error) => this.#waiting?.reject(error));
    socket.on("close", () => {
      this.#socket = null;
      this.#waiting?.reject(new Error("the connection was closed"));
    });
    return socket;
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf("\r\n\r\n");
    if (end === -1) return;
    const head = this.#received.toString("latin1", 0, end);
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    const whole = end + 4 + Number(length ?? 0);
    if (this.#received.length < whole) return;
    const body = this.#received.toString("utf8", end + 4, whole);
    this.#received = this.#received.subarray(whole);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve({ status: Number(head.slice(9, 12)), body });
  }
}

export interface Answered {
  readonly status: number;
  readonly body: string;
}
