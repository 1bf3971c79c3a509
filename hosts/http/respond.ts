import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Refusal } from "../../core/model/shared/failure.ts";
import { type Outage, OutcomeUnknown, StorageFull } from "../../ports/outage.ts";
import { JsonText } from "../../ports/views/page.ts";
import { isSharedAnswer } from "../api/endpoint/shared-read.ts";
import { statusOf } from "../api/endpoint/statuses.ts";
import type { HttpAnswer } from "./listener.ts";

/** Headers of every answer: no framing, no sniffing, no caching. */
export const always = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** The bytes of answers that several callers got. */
const bytesOf = new WeakMap<object, Buffer>();

/**
 * Joins rows that are JSON already. They go into the bytes of the answer directly: a text of the whole page would be
 * copied twice more, and what does not fit the young generation outlives it.
 */
const joined = (rows: readonly JsonText<unknown>[]): Buffer => {
  const bytes = Buffer.allocUnsafe(rows.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 1));
  let end = 0;
  for (const { text } of rows) {
    end += bytes.write(end === 0 ? "[" : ",", end);
    end += bytes.write(text, end);
  }
  bytes.write("]", end);
  return bytes;
};

/** The most characters of rows that are joined at once: others wait meanwhile. */
const joinedMost = 4_000_000;

/** A list that is sent row by row: between two of them others are answered. */
const streamed = (rows: readonly JsonText<unknown>[]): Readable =>
  Readable.from(
    (async function* () {
      for (const [n, { text }] of rows.entries()) {
        yield `${n === 0 ? "[" : ","}${text}${n === rows.length - 1 ? "]" : ""}`;
        await setImmediate();
      }
    })(),
    { objectMode: false },
  );

/** The rows of a list that is too long to be written at once; null: it is another answer. */
const longList = (body: unknown): readonly JsonText<unknown>[] | null =>
  Array.isArray(body) &&
  body[0] instanceof JsonText &&
  body.reduce((sum, { text }: JsonText<unknown>) => sum + text.length, 0) > joinedMost
    ? body
    : null;

/** Writes an answer as JSON. */
const writtenOnce = (body: unknown): string | Buffer =>
  Array.isArray(body) && body[0] instanceof JsonText ? joined(body) : JSON.stringify(body);

/** The text or the bytes of an answer. They are written once where several callers got it. */
const written = (body: unknown): HttpAnswer["body"] => {
  const long = longList(body);
  if (long !== null) return streamed(long);
  if (typeof body !== "object" || body === null || !isSharedAnswer(body)) return writtenOnce(body);
  const known = bytesOf.get(body);
  if (known !== undefined) return known;
  const made = writtenOnce(body);
  const bytes = typeof made === "string" ? Buffer.from(made) : made;
  bytesOf.set(body, bytes);
  return bytes;
};

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): HttpAnswer =>
  status === 204
    ? { status, headers: { ...always, ...headers }, body: null }
    : {
        status,
        headers: { ...always, "content-type": "application/json; charset=utf-8", ...headers },
        body: written(body),
      };

export const text = (body: string, contentType = "text/plain; charset=utf-8"): HttpAnswer => ({
  status: 200,
  headers: { ...always, "content-type": contentType },
  body,
});

export const streamHeaders = {
  ...always,
  "content-type": "text/event-stream; charset=utf-8",
  // Proxies that buffer answers would delay events.
  "x-accel-buffering": "no",
} as const;

/** The one error body. */
export const refused = (
  { code, kind, message, details }: Refusal,
  headers: Record<string, string> = {},
): HttpAnswer => {
  const known = details !== undefined && !Array.isArray(details) ? (details as Record<string, unknown>) : {};
  const waits = known.retryAfterSec ?? (kind === "too_many" ? 1 : null);
  return json(
    statusOf[kind],
    {
      error: message,
      code,
      ...(details === undefined ? {} : { details }),
      ...(known.currentRevisionId === undefined ? {} : { currentRevisionId: known.currentRevisionId }),
    },
    {
      ...(kind === "unauthenticated" ? { "www-authenticate": "Bearer" } : {}),
      ...(waits === null ? {} : { "retry-after": String(waits) }),
      ...headers,
    },
  );
};

/** Roughly the duration of a database restart or failover. */
const retryAfterSec = 5;
/** Longer, because a person must free space first. */
const retryWhenFullSec = 30;

/** Reports the kind of outage and when to retry; without Retry-After if the outcome of the call is unknown. */
export const unavailable = ({ meaning }: Outage, more: Readonly<Record<string, string>> = {}): HttpAnswer => {
  const { code, kind, message } = meaning;
  const retry = code === StorageFull.code ? retryWhenFullSec : retryAfterSec;
  return json(
    statusOf[kind],
    { ...more, error: message, code },
    code === OutcomeUnknown.code ? {} : { "retry-after": String(retry) },
  );
};

/** Shows no internal details. */
export const internalError = (): HttpAnswer =>
  json(500, { error: "Something went wrong in the service. See its log.", code: "internal_error" });

export const methodNotAllowed = (allowed: readonly string[]): HttpAnswer =>
  json(
    405,
    { error: `This path takes ${allowed.join(", ")}.`, code: "method_not_allowed", details: { allowed } },
    { allow: allowed.join(", ") },
  );
