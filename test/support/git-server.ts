import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import * as Effect from "effect/Effect";
import type { CodeStores, StoreOf } from "../../ports/code-stores.ts";

/** Serves the stores of a repository as the service does it, to callers that may read and write all refs of runs. */
export const serveStores = async (stores: CodeStores, of: StoreOf, address = "127.0.0.1") => {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const [, store = "", what = ""] = /^\/git\/[^/]+\/(shared|kept)\/(.*)$/.exec(pathname) ?? [];
    const isStart = what === "info/refs";
    const refs = ["refs/boardroom/runs/"];
    const answer = await Effect.runPromise(
      stores.exchange(of, {
        store: store as "shared" | "kept",
        service: (isStart ? searchParams.get("service") : what) as "git-upload-pack",
        isStart,
        protocol: (request.headers["git-protocol"] as string | undefined) ?? null,
        isGzip: request.headers["content-encoding"] === "gzip",
        body: isStart ? Readable.from([]) : request,
        writes: refs,
        reads: refs,
        noPush: null,
        aborted: new AbortController().signal,
      }),
    );
    response.writeHead(answer.status, { "content-type": answer.contentType });
    if (typeof answer.body === "string") response.end(answer.body);
    else Readable.from(answer.body, { objectMode: false }).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const origin = `http://${address}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/git/r`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
