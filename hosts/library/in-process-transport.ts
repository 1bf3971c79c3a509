import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import type { HttpAnswer, HttpRequest } from "../http/listener.ts";
import type { Transport } from "./client.ts";

/** Calls that take the whole way of a request but the socket. */
export const inProcessTransport =
  (handle: (request: HttpRequest) => Promise<HttpAnswer>, token: string): Transport =>
  async ({ method, path, query, headers, body, signal }) => {
    const form = body instanceof FormData ? new Response(body) : null;
    const bytes = Buffer.from(body === undefined || form !== null ? "" : JSON.stringify(body));
    const type = form?.headers.get("content-type") ?? (bytes.length === 0 ? null : "application/json");
    const answer = await handle({
      method,
      path,
      query: new URLSearchParams(query).toString(),
      headers: {
        ...headers,
        host: "localhost",
        authorization: `Bearer ${token}`,
        ...(type === null ? {} : { "content-type": type }),
      },
      remoteAddress: "127.0.0.1",
      aborted: signal ?? new AbortController().signal,
      readBody: async () => bytes,
      streamBody: () =>
        form?.body ? Readable.fromWeb(form.body as WebStream<Uint8Array>) : Readable.from([bytes]),
      hasWholeBody: () => true,
    });
    return { status: answer.status, headers: plain(answer.headers), body: bodyOf(answer.body) };
  };

const bodyOf = (body: HttpAnswer["body"]): string | ReadableStream<Uint8Array> => {
  if (body === null) return "";
  if (typeof body === "string") return body;
  return body instanceof Readable
    ? (Readable.toWeb(body) as ReadableStream<Uint8Array>)
    : Buffer.from(body).toString("utf8");
};

const plain = (headers: HttpAnswer["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === "string" ? value : value.join(", "),
    ]),
  );
