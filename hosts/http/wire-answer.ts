import { STATUS_CODES, validateHeaderName, validateHeaderValue } from "node:http";
import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { HttpAnswer, HttpRequest, ListenOptions } from "./listener.ts";

/**
 * Waits for the next phase of the event loop, in which a small body arrives that came with its headers. Were its
 * connection closed for being unread, the client would open another, and the event loop accepts one in each turn: refusals
 * at once would delay all that connect.
 */
export const bodyArrives = (): Promise<void> => turn();

/** An answer as sent, after the rules of method and status. */
export interface WireAnswer {
  readonly status: number;
  readonly statusLine: string;
  /** Without the framing headers. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Whether the handler closes the connection afterwards. */
  readonly closes: boolean;
  readonly body: Body;
}

type Body =
  | { readonly kind: "bytes"; readonly bytes: string | Uint8Array }
  /** `lengthBytes` undefined is sent in chunks. */
  | { readonly kind: "stream"; readonly stream: Readable; readonly lengthBytes: number | undefined }
  /** `lengthBytes` is the length for GET; undefined: unknown. */
  | { readonly kind: "none"; readonly lengthBytes: number | undefined };

/** The listener sets these itself. */
const framing = new Set(["connection", "content-length", "keep-alive", "transfer-encoding"]);

/** Throws if a status or header is invalid, to prevent response splitting by a client's text. */
const wireAnswer = ({ status, headers, body }: HttpAnswer, method: string): WireAnswer => {
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new Error(`Not a status: ${status}.`);
  const lines: [string, string][] = [];
  let declared: number | undefined;
  let closes = false;
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const values = typeof value === "string" ? [value] : value;
    if (lower === "content-length") declared = lengthOf(values[0]);
    if (lower === "connection") closes = values[0]?.toLowerCase() === "close";
    if (framing.has(lower)) continue;
    validateHeaderName(lower);
    for (const text of values) {
      validateHeaderValue(lower, text);
      lines.push([lower, text]);
    }
  }
  return {
    status,
    statusLine: `${status} ${STATUS_CODES[status] ?? "Unknown"}`,
    headers: lines,
    closes,
    body: bodyOf(status, body, declared, method),
  };
};

const bodyOf = (
  status: number,
  body: HttpAnswer["body"],
  declared: number | undefined,
  method: string,
): Body => {
  const isOpen = body instanceof Readable || (method === "HEAD" && body === null && declared !== undefined);
  const lengthBytes = isOpen ? declared : Buffer.byteLength((body as string | Uint8Array | null) ?? "");
  const nothing = status === 204 || status === 304;
  if (nothing || method === "HEAD") {
    if (body instanceof Readable) discard(body);
    return { kind: "none", lengthBytes: nothing ? undefined : lengthBytes };
  }
  return body instanceof Readable
    ? { kind: "stream", stream: body, lengthBytes }
    : { kind: "bytes", bytes: body ?? "" };
};

const lengthOf = (text: string | undefined): number => {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new Error("Content-Length is not a length.");
  return Number(text);
};

/** Destroys an unsent body. */
export const discard = (body: HttpAnswer["body"]): void => {
  if (body instanceof Readable) body.on("error", () => {}).destroy();
};

/**
 * Sends a stream chunk by chunk, awaiting each `write`, and destroys it when the client disconnects. Rejects if it fails
 * or differs from the declared length: the connection must then be closed.
 */
export const sendStream = async (
  { stream, lengthBytes }: { stream: Readable; lengthBytes: number | undefined },
  write: (chunk: Uint8Array) => Promise<void>,
  aborted: AbortSignal,
): Promise<void> => {
  const stop = () => discard(stream);
  if (aborted.aborted) return stop();
  aborted.addEventListener("abort", stop, { once: true });
  let sent = 0;
  try {
    for await (const piece of stream) {
      const chunk: Uint8Array = typeof piece === "string" ? Buffer.from(piece) : piece;
      sent += chunk.byteLength;
      if (lengthBytes !== undefined && sent > lengthBytes)
        throw new Error("The body is longer than was declared.");
      if (chunk.byteLength > 0) await write(chunk);
    }
    if (lengthBytes !== undefined && sent < lengthBytes)
      throw new Error("The body is shorter than was declared.");
  } catch (defect) {
    if (!aborted.aborted) throw defect;
  } finally {
    aborted.removeEventListener("abort", stop);
  }
};

export const failure = (status: number, code: string, error: string, headers = {}): HttpAnswer => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify({ error, code }),
});

/** The answer to a defect of the handler; shows no internal details. */
const internalError: HttpAnswer = failure(500, "internal_error", "Something went wrong on our side.");

/** Calls the handler; answers 500 if it rejects. */
export const handled = async (
  request: HttpRequest,
  handle: ListenOptions["handle"],
  onDefect: ListenOptions["onDefect"],
): Promise<HttpAnswer> => {
  try {
    return await handle(request);
  } catch (defect) {
    onDefect?.(defect);
    return internalError;
  }
};

/** Makes the answer sendable; answers 500 if it is invalid. */
export const onTheWire = (
  answer: HttpAnswer,
  method: string,
  onDefect: ListenOptions["onDefect"],
): WireAnswer => {
  try {
    return wireAnswer(answer, method);
  } catch (defect) {
    onDefect?.(defect);
    discard(answer.body);
    return wireAnswer(internalError, method);
  }
};

/** Refuses requests before the handler. */
export const refusedAtOnce = (headers: HttpRequest["headers"]): HttpAnswer | undefined => {
  const coding = headers["transfer-encoding"];
  // RFC 9112, 6.1: bytes of an unsupported coding would be read as the body.
  return coding === undefined || coding.toLowerCase() === "chunked"
    ? undefined
    : failure(501, "transfer_coding_unsupported", "The only transfer coding understood is chunked.", {
        connection: "close",
      });
};
