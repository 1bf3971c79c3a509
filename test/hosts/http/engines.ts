import { onTestFinished } from "vitest";
import type {
  HttpAnswer,
  HttpRequest,
  Listen,
  Listener,
  ListenOptions,
} from "../../../hosts/http/listener.ts";
import { type OnFinished, RawSocket } from "../../support/raw-socket.ts";

/** An HTTP engine or server under this suite. */
export interface Engine {
  readonly name: "our engine over node:http" | "the native engine" | "a node:http server of somebody else";
  readonly listen: Listen;
}

export const isNative = ({ name }: Engine): boolean => name === "the native engine";

export interface Served {
  readonly port: number;
  readonly listener: Listener;
  /** The defects that were reported. */
  readonly defects: unknown[];
  open(): Promise<RawSocket>;
}

/** Serves during one test. */
export const serving = async (
  engine: Engine,
  handle: ListenOptions["handle"],
  {
    onFinished = onTestFinished,
    ...options
  }: Pick<ListenOptions, "stallMs" | "perClient"> & { onFinished?: OnFinished } = {},
): Promise<Served> => {
  const defects: unknown[] = [];
  const listener = await engine.listen({
    host: "127.0.0.1",
    port: 0,
    handle,
    onDefect: (defect) => defects.push(defect),
    ...options,
  });
  onFinished(() => listener.close(0));
  return { port: listener.port, listener, defects, open: () => RawSocket.open(listener.port, onFinished) };
};

export const answer = (
  body: HttpAnswer["body"],
  headers: HttpAnswer["headers"] = {},
  status = 200,
): HttpAnswer => ({ status, headers, body });

/** Answers with the request as JSON; the body as text, or the name of its error. */
export const echo = async (request: HttpRequest): Promise<HttpAnswer> => {
  const { method, path, query, headers } = request;
  try {
    const body = (await request.readBody(1_000)).toString();
    return answer(JSON.stringify({ method, path, query, headers, body }));
  } catch (error) {
    const name = (error as Error).name;
    return answer(name, {}, name === "BodyTooLarge" ? 413 : 400);
  }
};

/** Nothing is a known answer of the native engine; every other answer has the time that it needs. */
export const reaction = (engine: Engine, client: RawSocket): ReturnType<RawSocket["outcome"]> =>
  client.outcome(isNative(engine) ? 700 : undefined);

/**
 * The time between two packets, so that they arrive as two; or that of a handler or client that is slow. Where a test waits for
 * something, it waits for that.
 */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A promise that the test resolves or rejects. */
export const deferred = <T = void>() => {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
};
