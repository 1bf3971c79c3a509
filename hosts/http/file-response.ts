import { Readable } from "node:stream";
import * as Effect from "effect/Effect";
import { AssetNotFound } from "../../core/model/assets/asset.ts";
import type { FileAnswer } from "../api/endpoint/files.ts";
import type { HttpAnswer, HttpRequest } from "./listener.ts";
import { always, refused } from "./respond.ts";

/**
 * Answers with the bytes of a file or one range of them. No file may run code: browsers do not sniff its type, and a
 * file that is not shown inline is sandboxed and saved.
 */
export const fileResponse = Effect.fnUntraced(function* (request: HttpRequest, file: FileAnswer) {
  const etag = `"${file.sha256}"`;
  const headers: Record<string, string> = {
    ...always,
    "cache-control": "private, max-age=60",
    "content-type": file.contentType === "text/plain" ? "text/plain; charset=utf-8" : file.contentType,
    "content-disposition": disposition(file.isShown, file.filename),
    "accept-ranges": "bytes",
    etag,
    ...(file.isShown
      ? {}
      : { "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox" }),
  };
  if (matches(request.headers["if-none-match"], etag)) return bodiless(304, headers);
  const asked = request.headers["if-range"];
  const takesRange = request.method === "GET" && (asked === undefined || asked.trim() === etag);
  const range = takesRange ? rangeOf(request.headers.range, file.byteSize) : null;
  if (range === "unsatisfiable")
    return bodiless(416, { ...headers, "content-range": `bytes */${file.byteSize}` });
  const bytes = yield* file.open(range ?? undefined);
  if (bytes === null) return refused(new AssetNotFound(undefined, "The file's content is missing."));
  const answer: HttpAnswer = {
    status: range === null ? 200 : 206,
    headers: {
      ...headers,
      "content-length": String(range === null ? file.byteSize : range.end - range.start),
      ...(range === null
        ? {}
        : { "content-range": `bytes ${range.start}-${range.end - 1}/${file.byteSize}` }),
    },
    body: bytes instanceof Readable ? bytes : Readable.from(bytes),
  };
  return answer;
});

const bodiless = (status: number, headers: HttpAnswer["headers"]): HttpAnswer => ({
  status,
  headers,
  body: null,
});

const matches = (given: string | undefined, etag: string): boolean =>
  given?.split(",").some((each) => each.trim() === "*" || each.trim().replace(/^W\//, "") === etag) ?? false;

/** null: the whole file, also for several ranges or an invalid header. */
const rangeOf = (
  header: string | undefined,
  size: number,
): { readonly start: number; readonly end: number } | "unsatisfiable" | null => {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const count = Math.min(Number(last), size);
    return count === 0 ? "unsatisfiable" : { start: size - count, end: size };
  }
  const start = Number(first);
  const end = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < start) return null;
  return start >= size ? "unsatisfiable" : { start, end };
};

/** Gives the file name in ASCII for old clients, and in UTF-8 (RFC 6266). */
const disposition = (isShown: boolean, filename: string | null): string => {
  const kind = isShown ? "inline" : "attachment";
  if (filename === null) return kind;
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const full = encodeURIComponent(filename).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${full}`;
};
