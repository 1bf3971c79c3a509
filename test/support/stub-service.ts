import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the stub received it. */
export interface ReceivedRequest {
  readonly method: string;
  /** With the query, as sent. */
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  /** JSON is parsed; undefined for no body. */
  readonly body: unknown;
}

/** The stub's answer: a value is JSON with status 200. */
export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly text?: string;
  /** Sent and left open. */
  readonly stream?: string;
  /** The connection is cut after the streamed data. */
  readonly cut?: boolean;
}

/** Serves real HTTP on loopback with the test's answers. */
export const stubService = async (answer: (request: ReceivedRequest) => StubAnswer) => {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const request: ReceivedRequest = {
      method: incoming.method ?? "",
      url: incoming.url ?? "",
      headers: incoming.headers,
      body:
        text === ""
          ? undefined
          : incoming.headers["content-type"]?.includes("json")
            ? JSON.parse(text)
            : text,
    };
    requests.push(request);
    const { status = 200, headers = {}, json, text: plain, stream, cut } = answer(request);
    if (stream !== undefined) {
      outgoing.writeHead(status, { "content-type": "text/event-stream", ...headers });
      outgoing.write(stream, () => {
        if (cut) outgoing.destroy();
      });
      return;
    }
    outgoing.writeHead(status, {
      "content-type": plain === undefined ? "application/json" : "text/plain",
      ...headers,
    });
    outgoing.end(plain ?? JSON.stringify(json));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};
