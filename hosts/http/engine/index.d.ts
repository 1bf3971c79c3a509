/** The part of the engine that `hyper-express-listener.ts` uses itself; hyper-express uses the rest. */
export interface HttpResponse {
  writeStatus(status: string): this;
  writeHeader(name: string, value: string): this;
  /** false if the client is behind. An empty chunk sends the headers alone (our engine) or does nothing (native). */
  write(chunk: string | Uint8Array): boolean;
  tryEnd(chunk: string | Uint8Array, totalBytes: number): [sent: boolean, done: boolean];
  end(body?: string | Uint8Array, closeConnection?: boolean): this;
  /** Sends the headers alone. */
  endWithoutBody(reportedLength: number, closeConnection?: boolean): this;
  getWriteOffset(): number;
  /** One handler: the last that was set. The response must not be used afterwards. */
  onAborted(handler: () => void): this;
  /** The chunk is the caller's only during the call. One handler: the last that was set. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this;
  pause(): this;
  resume(): this;
}
export interface HttpRequest {
  getMethod(): string;
}
export type us_listen_socket = object;
export type us_socket_context_t = object;
export type Heard = (socket: us_listen_socket | false) => void;
export interface TemplatedApp {
  listen(host: string, port: number, ...flagsAndHeard: [flags: number, heard: Heard] | [heard: Heard]): this;
  /** Cuts every connection. */
  close(): this;
  /** Our engine only: calls `listener` for each connection that it accepts, one in a turn of the event loop. */
  onConnection?(listener: () => void): void;
  /** Our engine only: resolves, after it stopped listening, when every connection is gone. */
  gone?(): Promise<void>;
}
/** A limit of open connections of one client; our engine only. */
export interface PerClient {
  readonly most: number;
  /** Names the client of an address; null: its connections are not counted. */
  readonly clientOf: (address: string) => string | null;
}
export interface EngineOptions {
  readonly stallMs?: number;
  readonly backlog?: number;
  readonly perClient?: PerClient;
}
export const LIBUS_LISTEN_EXCLUSIVE_PORT: number;
