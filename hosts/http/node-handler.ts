import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { Departure } from "./departure.ts";
import type { HttpRequest, ListenOptions } from "./listener.ts";
import { bodyOf } from "./request-body.ts";
import {
  bodyArrives,
  discard,
  failure,
  handled,
  onTheWire,
  refusedAtOnce,
  sendStream,
  type WireAnswer,
} from "./wire-answer.ts";

/** Fields that web frameworks add to a request of node:http. */
interface FrameworkRequest extends IncomingMessage {
  /** Express: the full target; `url` is relative to the mount path. */
  readonly originalUrl?: string;
  /** The result of a body parser. */
  readonly body?: unknown;
}

/**
 * Handles requests of a node:http server of an embedding program, which sets its own timeouts. Never throws; `onDefect`
 * is the one of `ListenOptions`.
 */
export const nodeHandler =
  (handle: ListenOptions["handle"], onDefect?: ListenOptions["onDefect"]) =>
  (incoming: IncomingMessage, response: ServerResponse): void => {
    void serve(incoming, response, handle, onDefect);
  };

const serve = async (
  incoming: IncomingMessage,
  response: ServerResponse,
  handle: ListenOptions["handle"],
  onDefect: ListenOptions["onDefect"],
): Promise<void> => {
  const departure = new Departure();
  const gone = () => {
    if (!response.writableFinished) departure.record();
  };
  response.once("close", gone);
  // A pipelined request behind others receives only this event.
  incoming.once("aborted", gone);
  incoming.on("error", () => {});
  response.on("error", () => {});

  const body = bodyAsGiven(incoming);
  const request = requestOf(incoming, body, departure);
  const unread = refusedAtOnce(request.headers) ?? (body === "lost" ? bodyAlreadyRead : undefined);
  const answer = unread ?? (await handled(request, handle, onDefect));
  if (unread === undefined && !incoming.complete) await bodyArrives();
  if (departure.isDeparted || response.destroyed) return discard(answer.body);
  try {
    await send(incoming, response, onTheWire(answer, request.method, onDefect), departure.signal);
  } catch (defect) {
    onDefect?.(defect);
    response.destroy();
  }
};

const bodyAlreadyRead = failure(
  400,
  "body_already_read",
  "Another handler read the request body before Boardroom could. Mount Boardroom before body parsers or exclude its paths from them.",
);

/** Headers that sign the bytes of the body. */
const signatures = ["x-service-signature", "x-hub-signature-256"];

/**
 * The unread body, or the bytes that an earlier body parser has left. Parsed JSON is serialised again, which is
 * equivalent except for a signature.
 */
const bodyAsGiven = (incoming: FrameworkRequest): "unread" | "lost" | Buffer => {
  const isEmpty =
    Number(incoming.headers["content-length"] ?? 0) === 0 && !incoming.headers["transfer-encoding"];
  if (isEmpty || !incoming.readableDidRead) return "unread";
  const { body } = incoming;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === "string") return Buffer.from(body);
  const isSigned = signatures.some((name) => incoming.headers[name] !== undefined);
  const isJson = /^application\/json\b/i.test(incoming.headers["content-type"] ?? "");
  return body === undefined || isSigned || !isJson ? "lost" : Buffer.from(JSON.stringify(body));
};

const requestOf = (
  incoming: FrameworkRequest,
  body: "unread" | "lost" | Buffer,
  departure: Departure,
): HttpRequest => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  const { path, query } = splitTarget(incoming.originalUrl ?? incoming.url ?? "/");
  return {
    method: incoming.method ?? "GET",
    path,
    query,
    headers,
    departure,
    peerAddress: () => incoming.socket.remoteAddress ?? null,
    // Its server accepts connections as it wants.
    connectionsAccepted: () => null,
    ...bodyOf({
      source: Buffer.isBuffer(body) ? Readable.from([body]) : incoming,
      headers,
      departure,
      isComplete: () => incoming.complete,
    }),
  };
};

const splitTarget = (target: string) => {
  const local = target.replace(/^https?:\/\/[^/?#]*\/?/i, "/");
  const mark = local.indexOf("?");
  return mark < 0 ? { path: local, query: "" } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
};

const send = async (
  incoming: IncomingMessage,
  response: ServerResponse,
  { status, headers, closes, body }: WireAnswer,
  aborted: AbortSignal,
): Promise<void> => {
  const lines = headers.flat();
  // The rest of an unread body would be parsed as the next request.
  if (closes || !incoming.complete) lines.push("connection", "close");
  const lengthBytes = body.kind === "bytes" ? Buffer.byteLength(body.bytes) : body.lengthBytes;
  if (lengthBytes !== undefined) lines.push("content-length", String(lengthBytes));
  response.writeHead(status, lines);
  if (body.kind === "stream") {
    response.flushHeaders();
    await sendStream(body, (chunk) => write(response, chunk, aborted), aborted);
  }
  response.end(body.kind === "bytes" ? body.bytes : undefined);
};

/** Resolves when the client has drained the buffer or disconnected. */
const write = (response: ServerResponse, chunk: Uint8Array, aborted: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (aborted.aborted || response.write(chunk)) return resolve();
    const finish = () => {
      response.off("drain", finish);
      aborted.removeEventListener("abort", finish);
      resolve();
    };
    response.on("drain", finish);
    aborted.addEventListener("abort", finish, { once: true });
  });
