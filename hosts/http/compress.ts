import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { HttpAnswer, HttpRequest } from "./listener.ts";

/** The smallest body worth compressing. */
const leastBytes = 1024;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

const coders = {
  // A list shrinks no more at quality 4, which takes half as long again, and 15 MB that the C library keeps.
  br: (text: string | Uint8Array) => toBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: (text: string | Uint8Array) => toGzip(text, { level: 6 }),
};

/** Chooses a coding that the client accepts, brotli first; null: none. */
const codingOf = (accepted: string): keyof typeof coders | null => {
  const codings = new Set(
    accepted
      .toLowerCase()
      .split(",")
      .map((part) => part.split(";").map((word) => word.trim()))
      .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
      .map(([coding]) => coding),
  );
  return codings.has("br") ? "br" : codings.has("gzip") ? "gzip" : null;
};

/**
 * Compresses a JSON answer if the client accepts it; streams and files stay unchanged. Callers must not pass answers that
 * hold a credential: the compressed size next to attacker-chosen text reveals it.
 */
export const compressed = async (request: HttpRequest, answer: HttpAnswer): Promise<HttpAnswer> => {
  const { body, headers } = answer;
  if ((typeof body !== "string" && !(body instanceof Uint8Array)) || body.length < leastBytes) return answer;
  if (headers["content-type"] !== "application/json; charset=utf-8") return answer;
  const accepted = request.headers["accept-encoding"];
  const coding = accepted === undefined ? null : codingOf(accepted);
  const varied = { ...headers, vary: "Accept-Encoding" };
  if (coding === null) return { ...answer, headers: varied };
  return { ...answer, headers: { ...varied, "content-encoding": coding }, body: await encoded(body, coding) };
};

/** The compressed forms of bytes that several answers have. */
const known = new WeakMap<Uint8Array, Partial<Record<keyof typeof coders, Promise<Uint8Array>>>>();

const encoded = (body: string | Uint8Array, coding: keyof typeof coders): Promise<Uint8Array> => {
  if (typeof body === "string") return coders[coding](body);
  const forms = known.get(body) ?? {};
  known.set(body, forms);
  forms[coding] ??= coders[coding](body);
  return forms[coding];
};
