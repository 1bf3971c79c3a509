import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { Departure } from "../http/departure.ts";
import type { HttpAnswer, HttpRequest } from "../http/listener.ts";
import { bodyOf } from "../http/request-body.ts";
import type { ClientAnswer, Transport } from "./transport.ts";

/** Carries calls through the whole request path except the socket. A defect that would break a connection rejects. */
export const inProcessTransport =
  (
    handle: (request: HttpRequest) => Promise<HttpAnswer>,
    token: string,
    made: Pick<HttpRequest, "isOfTool"> = {},
  ): Transport =>
  async ({ method, path, query, headers, body, signal }) => {
    signal?.throwIfAborted();
    const sent = sentAs(body);
    const departure = new Departure();
    const over = new AbortController();
    const brokenOff = new Promise<never>((_, reject) => {
      const breakOff = (reason: unknown) => {
        departure.record(reason);
        reject(reason);
      };
      sent.source.on("error", breakOff);
      signal?.addEventListener("abort", () => breakOff(signal.reason), { signal: over.signal });
    });
    const answered = handle({
      ...made,
      method,
      path,
      query: new URLSearchParams(query).toString(),
      headers: { ...headers, ...sent.headers, host: "localhost", authorization: `Bearer ${token}` },
      departure,
      peerAddress: () => null,
      connectionsAccepted: () => null,
      ...bodyOf({ ...sent, departure, isComplete: () => sent.source.readableEnded }),
      hasWholeBody: () => true,
    }).then((answer) => {
      const { body } = answer;
      if (!(body instanceof Readable)) over.abort();
      else if (departure.isDeparted) body.destroy();
      else {
        departure.onDeparted(() => body.destroy(departure.signal.reason as Error));
        body.once("close", () => over.abort());
      }
      return answer;
    });
    const answer = await Promise.race([answered, brokenOff]);
    return { status: answer.status, headers: plain(answer.headers), body: received(answer.body) };
  };

/** Serialises the body; streams a form, with its files read from disk. */
const sentAs = (body: unknown): { source: Readable; headers: Readonly<Record<string, string>> } => {
  if (body === undefined) return { source: Readable.from([]), headers: {} };
  if (body instanceof FormData) {
    const form = new Response(body);
    return {
      source: Readable.fromWeb(form.body as WebStream<Uint8Array>),
      headers: {
        "content-type": form.headers.get("content-type") ?? "",
        "transfer-encoding": "chunked",
      },
    };
  }
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    source: Readable.from([bytes]),
    headers: { "content-type": "application/json", "content-length": String(bytes.length) },
  };
};

const received = (body: HttpAnswer["body"]): ClientAnswer["body"] => {
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
