import type { Readable } from "node:stream";

/** One request as the web server hands it over. Nothing is decoded yet: names, paths and bodies are the client's. */
export interface HttpRequest {
  /** Upper-case. */
  readonly method: string;
  /** Percent-encoded, as sent, without the query. */
  readonly path: string;
  /** As sent, without the question mark; empty where there is none. */
  readonly query: string;
  /** Names in lower case; repeated headers as node:http joins them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Address of the peer. */
  readonly remoteAddress: string;
  /** Fires when the client goes away before its answer is complete. */
  readonly aborted: AbortSignal;
  /**
   * The whole body. Rejects with `BodyTooLarge` as soon as the declared or received length passes the limit
   * (nothing more is read then), and with `RequestAborted` when the client goes away or its body is broken off.
   */
  readBody(limitBytes: number): Promise<Buffer>;
  /** The body as a stream under back-pressure; it is destroyed with the same two errors. */
  streamBody(limitBytes: number): Readable;
}

/** What is sent back. A body that is a stream is sent under back-pressure and destroyed when the client goes away. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Readable | null;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Never rejects in our own code; if it does, the listener answers a bare 500 with nothing from inside. */
  readonly handle: (request: HttpRequest) => Promise<HttpAnswer>;
  /** How long headers may take, and how long a body may make no progress, before the listener answers 408. Milliseconds. */
  readonly stallMs?: number;
}

/** A listening server. */
export interface Listener {
  readonly host: string;
  readonly port: number;
  /**
   * Takes no new connections, lets requests under way finish (their answers say `Connection: close`),
   * and cuts what is left after the grace. Resolves when every connection is gone.
   */
  close(graceMs: number): Promise<void>;
}

/** Starts listening. Rejects with `AddressInUse` where the port is taken. */
export type Listen = (options: ListenOptions) => Promise<Listener>;

export class AddressInUse extends Error {
  override readonly name = "AddressInUse";
}
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}
export class RequestAborted extends Error {
  override readonly name = "RequestAborted";
}
