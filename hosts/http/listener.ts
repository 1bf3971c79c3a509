import type { Readable } from "node:stream";
import type { Departure } from "./departure.ts";

/** One request as the web server delivers it, undecoded: names, paths and bodies are the client's. */
export interface HttpRequest {
  /** Upper-case. */
  readonly method: string;
  /** Percent-encoded, as sent, without the query. */
  readonly path: string;
  /** As sent, without the question mark; empty without a query. */
  readonly query: string;
  /** Names in lower case; repeated headers as node:http joins them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the client, before its answer is complete. */
  readonly departure: Departure;
  /** The address at the other end of the connection; null: unknown, or a call within the process. */
  peerAddress(): string | null;
  /** Resolves when the connections that wait have been accepted, or enough of them; null: none wait. */
  connectionsAccepted(): Promise<void> | null;
  /**
   * The whole body. Rejects with `BodyTooLarge` as soon as the declared or received length passes the limit
   * (nothing more is read then), and with `RequestAborted` when the client goes away or its body is broken off.
   * A body can be read once. `hasRoom` gets the bytes of each part that arrives: where it returns false, this
   * rejects with `BodyUnwelcome`, and nothing more is read.
   */
  readBody(limitBytes: number, hasRoom?: (bytes: number) => boolean): Promise<Buffer>;
  /** The body as a stream under back-pressure; it is destroyed with the same two errors. */
  streamBody(limitBytes: number): Readable;
  /** A call of a tool of /mcp, which this process makes: tokens of assistants are good for these alone. */
  readonly isOfTool?: true;
  /** Whether the whole body has arrived, so that reading it does not wait. */
  hasWholeBody(): boolean;
}

/** An answer. A stream as body is sent under back-pressure and destroyed when the client disconnects. */
export interface HttpAnswer {
  readonly status: number;
  /**
   * A list is one header line for each (Set-Cookie). The listener itself sets Content-Length, Transfer-Encoding and
   * Connection; Content-Length counts where the body is a stream of known length, and `connection: close` is heeded.
   * To HEAD the same answer is given as to GET: its body is not sent.
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | Readable | null;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Must not reject; if it does, the listener answers 500 without internal details. */
  readonly handle: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Receives defects: a `handle` that rejected, an answer that cannot be sent, a body that failed. */
  readonly onDefect?: (defect: unknown) => void;
  /**
   * How long headers may take, and how long a body may make no progress, before the listener answers 408.
   * Milliseconds, 30 s by default. A whole request, and a client that does not read, get ten times that.
   * The native engine has its own ten seconds and cuts without an answer.
   */
  readonly stallMs?: number;
  /**
   * The limit of open connections of one client; omitted: none. A further one gets 429 `too_many_connections` and is
   * closed. `clientOf` names the client of an address; null: its connections are not counted. The native engine has
   * no such limit.
   */
  readonly perClient?: { readonly most: number; readonly clientOf: (address: string) => string | null };
}

/** A listening server. */
export interface Listener {
  readonly host: string;
  readonly port: number;
  /**
   * From now on every answer has `Connection: close`, so that clients and proxies connect to another server.
   * It still takes new connections.
   */
  closeConnections(): void;
  /**
   * Takes no new connections, lets requests in progress finish (their answers say `Connection: close`), and cuts the
   * remaining ones after the grace. Resolves when every connection is gone. Closing again waits for the same.
   */
  close(graceMs: number): Promise<void>;
}

/** Starts listening. Rejects with `AddressInUse` where the port is in use, `EngineUnavailable` where none can serve. */
export type Listen = (options: ListenOptions) => Promise<Listener>;

export class AddressInUse extends Error {
  override readonly name = "AddressInUse";
}
/** The configured web server cannot run here; its message names what is missing and what to do. */
export class EngineUnavailable extends Error {
  override readonly name = "EngineUnavailable";
}
/** No room is left for a body in memory. */
export class BodyUnwelcome extends Error {
  override readonly name = "BodyUnwelcome";
}

export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}
export class RequestAborted extends Error {
  override readonly name = "RequestAborted";
}
