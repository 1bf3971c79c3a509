import { once } from "node:events";
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A balancer on the loopback address. */
export interface Balancer {
  readonly url: string;
  /** Whether this service gets requests now. */
  isLive(url: string): boolean;
  /** Requests that it could not bring to an end, each with the reason. */
  readonly lost: readonly string[];
  close(): void;
}

const checkEveryMs = 100;
/** On a machine that is busy with tests, a slow answer says nothing. */
const checkWithinMs = 20_000;
const ofOneConnection = ["connection", "keep-alive", "transfer-encoding"];

/**
 * Spreads requests over services as an operator's balancer does. It asks each for its health and takes out one that does
 * not answer 200. It keeps connections, and tries another service only after a refused connection: a request that was
 * sent may have been carried out.
 */
export const startBalancer = async (services: readonly string[]): Promise<Balancer> => {
  const live = new Set<string>();
  const lost: string[] = [];
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  let open = true;

  const check = async (url: string): Promise<void> => {
    while (open) {
      if (await isHealthy(url)) live.add(url);
      else live.delete(url);
      await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
    }
  };
  const lose = (answer: ServerResponse, request: IncomingMessage, reason: string) => {
    lost.push(`${request.method} ${request.url}: ${reason}`);
    if (!answer.headersSent) answer.writeHead(502).end();
    else answer.destroy();
  };
  const forward = (
    request: IncomingMessage,
    body: Buffer,
    answer: ServerResponse,
    refusing: readonly string[],
  ): void => {
    const candidates = [...live].filter((url) => !refusing.includes(url));
    const url = candidates[turn++ % candidates.length];
    if (url === undefined) {
      lose(answer, request, "no service is live");
      return;
    }
    const sent = httpRequest(url + request.url, {
      method: request.method,
      headers: withoutConnection(request.headers),
      agent,
    });
    sent.on("response", (received) => {
      answer.writeHead(received.statusCode!, withoutConnection(received.headers));
      answer.flushHeaders();
      received.pipe(answer);
      received.on("error", (error) => {
        // Its client may have left.
        if (!answer.destroyed) lose(answer, request, `the answer broke off: ${error.message}`);
      });
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (answer.headersSent || answer.destroyed) return;
      if (error.code === "ECONNREFUSED") forward(request, body, answer, [...refusing, url]);
      else lose(answer, request, `${error.message}${sent.reusedSocket ? ", on a kept connection" : ""}`);
    });
    answer.on("close", () => sent.destroy());
    sent.end(body);
  };

  const server = createServer(async (request, answer) => {
    const body = await buffer(request).catch(() => null);
    if (body !== null) forward(request, body, answer, []);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  for (const url of services) void check(url);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isLive: (url) => live.has(url),
    lost,
    close: () => {
      open = false;
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
};

const withoutConnection = (headers: IncomingMessage["headers"]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofOneConnection.includes(name)));

const isHealthy = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = httpRequest(`${url}/api/health`, { agent: false, timeout: checkWithinMs }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
    asked.end();
  });
