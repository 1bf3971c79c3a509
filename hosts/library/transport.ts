import type { Method } from "../api/endpoint/endpoint.ts";

/** One call, as a transport carries it. A transport without addresses goes by `name` and `params`. */
export interface ClientRequest {
  /** `issues.checkout`. */
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
  readonly method: Method;
  /** The percent-encoded path, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. The transport adds credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON-safe, or the form of an upload; undefined: no body. */
  readonly body: unknown;
  /** The answer is a file: it is not read into memory. */
  readonly wantsFile: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The answer, refusals included. */
export interface ClientAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, plain text, server-sent events or the bytes of a file, by the endpoint's media. */
  readonly body: string | ReadableStream<Uint8Array>;
}

/** Carries calls to a service. Rejects only without an answer: with `ServiceUnreachable` or the signal's reason. */
export type Transport = (request: ClientRequest) => Promise<ClientAnswer>;
