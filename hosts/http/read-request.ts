import * as Effect from "effect/Effect";
import type { Refusal } from "../../core/model/shared/failure.ts";
import { ValidationFailed } from "../api/endpoint/dispatch.ts";
import { Overloaded } from "./admission.ts";
import type { BodyReservation } from "./body-memory.ts";
import { BodyTooLarge, BodyUnwelcome, type HttpRequest, RequestAborted } from "./listener.ts";
import {
  BodyBrokenOff,
  BodyEncoded,
  MalformedEncoding,
  MalformedJson,
  NotJson,
  PayloadTooLarge,
} from "./refusals.ts";

/** The limit of JSON bodies, documents included. */
const maxJsonBytes = 1024 * 1024;

/** The limit of queries: an address has no more, but a call within the process could. */
const maxQueryLength = 16_384;

/** Parses the query. Refuses a repeated parameter. */
export const parseQuery = Effect.fnUntraced(function* (query: string) {
  if (query.length > maxQueryLength) {
    const message = `The query must have at most ${maxQueryLength} characters.`;
    return yield* Effect.fail(new ValidationFailed([{ path: [], code: "too_big", message }], message));
  }
  const parsed: Record<string, string> = {};
  for (const pair of query === "" ? [] : query.split("&")) {
    if (pair === "") continue;
    const eq = pair.indexOf("=");
    const [rawName, rawValue] = eq === -1 ? [pair, ""] : [pair.slice(0, eq), pair.slice(eq + 1)];
    const name = decodeText(rawName);
    const value = decodeText(rawValue);
    if (name === null || value === null)
      return yield* Effect.fail(
        new MalformedEncoding([{ path: [rawName], code: "malformed", message: "does not decode" }]),
      );
    if (Object.hasOwn(parsed, name))
      return yield* Effect.fail(
        new ValidationFailed(
          [{ path: [name], code: "repeated", message: "Specified more than once." }],
          `${name} is specified more than once.`,
        ),
      );
    Object.defineProperty(parsed, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return parsed;
});

const decodeText = (encoded: string): string | null => {
  try {
    return decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    return null;
  }
};

const bodyRefusal = (error: unknown): PayloadTooLarge | BodyBrokenOff | Overloaded => {
  if (error instanceof BodyTooLarge) return new PayloadTooLarge({ maxBytes: maxJsonBytes });
  // The bodies before it are answered soon.
  if (error instanceof BodyUnwelcome) return new Overloaded({ retryAfterSec: 1 });
  if (error instanceof RequestAborted) return new BodyBrokenOff();
  throw error;
};

/** Reads the body whole; refuses one above `maxJsonBytes`. */
export const readBytes = (request: HttpRequest, { take }: BodyReservation) =>
  Effect.tryPromise({ try: () => request.readBody(maxJsonBytes, take), catch: bodyRefusal });

const isJsonInUtf8 = (contentType: string): boolean =>
  /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-8"?)?(?:\s*;)?$/i.test(contentType.trim());

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads and parses the body; undefined: it has none. */
export const readJson = (
  request: HttpRequest,
  reservation: BodyReservation,
): Effect.Effect<unknown, Refusal> =>
  request.method === "GET" || request.method === "HEAD"
    ? Effect.undefined
    : readJsonBody(request, reservation);

const readJsonBody = (request: HttpRequest, reservation: BodyReservation) =>
  Effect.gen(function* () {
    const bytes = yield* readBytes(request, reservation);
    if (bytes.length === 0) return undefined;
    if (!isJsonInUtf8(request.headers["content-type"] ?? "")) return yield* Effect.fail(new NotJson());
    const coding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
    if (coding !== "identity") return yield* Effect.fail(new BodyEncoded());
    try {
      return JSON.parse(utf8.decode(bytes)) as unknown;
    } catch {
      return yield* Effect.fail(new MalformedJson());
    }
  });
