import { Readable } from "node:stream";
import type { HttpAnswer, HttpRequest } from "../http/listener.ts";
import type { Transport } from "./client.ts";

/** Calls that take the whole way of a request but the socket. */
export const inProcessTransport =
  (handle: (request: HttpRequest) => Promise<HttpAnswer>, token: string): Transport =>
  async ({ method, path, query, headers, body, signal }) => {
    const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
    const answer = await handle({
      method,
      path,
      query: new URLSearchParams(query).toString(),
      headers: {
        ...headers,
        host: "localhost",
        authorization: `Bearer ${token}`,
        ...(bytes.length === 0 ? {} : { "content-type": "application/json" }),
      },
      remoteAddress: "127.0.0.1",
      aborted: signal ?? new AbortController().signal,
      readBody: async () => bytes,
      streamBody: () => Readable.from([bytes]),
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
