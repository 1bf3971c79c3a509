import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({
    role: "api",
    env: { SERVICE_PUBLIC_URL: "https://board.example.org/rooms/" },
  });
});
afterAll(() => service?.stop());

interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Requests like a browser; fetch can neither set the Host header nor keep an answer compressed. */
const get = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Page> =>
  new Promise((resolve, reject) => {
    httpRequest(
      `${service.url}${path}`,
      { method, headers: { accept: "text/html,*/*;q=0.8", ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("end", () =>
          resolve({
            status: answer.statusCode!,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString("latin1"),
          }),
        );
        answer.on("error", reject);
      },
    )
      .on("error", reject)
      .end();
  });

const scriptOf = ({ body }: Page): string => `/${/<script type="module" src="([^"]+)"/.exec(body)?.[1]}`;

describe("The board page", () => {
  it("is the same document at each of its paths, and is revalidated each time", async () => {
    const page = await get("/");
    expect(page).toMatchObject({
      status: 200,
      headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" },
    });
    expect((await get("/ACM/issues/ACM-12")).body).toBe(page.body);
    const again = await get("/", { "if-none-match": page.headers.etag as string });
    expect(again).toMatchObject({ status: 304, body: "" });
    expect(await get("/", {}, "HEAD")).toMatchObject({ status: 200, body: "" });
  });

  it("has the base path of SERVICE_PUBLIC_URL behind the proxy, and the root for direct requests", async () => {
    expect((await get("/")).body).toContain('<base href="/">');
    expect((await get("/inbox", { host: "board.example.org" })).body).toContain('<base href="/rooms/">');
    // The worker asks for it as a file.
    const offline = await get("/offline.html", { host: "board.example.org", accept: "*/*" });
    expect(offline.body).toContain('<base href="/rooms/">');
  });

  it("sends its script compressed as requested, cacheable without end", async () => {
    const path = scriptOf(await get("/"));
    for (const encoding of ["br", "gzip"])
      expect(await get(path, { "accept-encoding": `x, ${encoding}` })).toMatchObject({
        status: 200,
        headers: {
          "content-encoding": encoding,
          "content-type": "text/javascript; charset=utf-8",
          "cache-control": "public, max-age=31536000, immutable",
          vary: "accept-encoding",
        },
      });
    const plain = await get(path, { "accept-encoding": "br;q=0, gzip;q=0" });
    expect(plain.headers).not.toHaveProperty("content-encoding");
    expect(plain.headers["content-length"]).toBe(String(plain.body.length));
  });

  it("runs nothing inline, loads nothing from outside, and cannot be framed", async () => {
    const { headers, body } = await get("/");
    const policy = String(headers["content-security-policy"]);
    for (const part of [
      "default-src 'none'",
      "script-src 'self';",
      "style-src 'self';",
      "frame-ancestors 'none'",
      "worker-src 'self'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy).toContain(part);
    // One policy, of the worker's address, and none of its name twice.
    expect(policy).toMatch(/trusted-types boardroom-worker$/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|style=/);
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
  });

  it("never replaces an unknown API path, nor a file of an older page", async () => {
    for (const path of ["/api/nothing", "/api", "/assets/board-GONE.js"])
      expect(await get(path), path).toMatchObject({ status: 404, headers: { "cache-control": "no-store" } });
    expect((await get("/inbox", { accept: "application/json" })).status).toBe(404);
    expect((await get("/inbox", {}, "POST")).status).toBe(404);
    expect((await get("/api/health")).headers["content-type"]).toMatch("application/json");
  });

  it("is not shown under a foreign host name (DNS rebinding)", async () => {
    const rebound = await get("/", { host: "evil.example" });
    expect(rebound.status).toBe(403);
    expect(rebound.body).toContain("host_not_allowed");
    expect((await get(scriptOf(await get("/")), { host: "evil.example" })).status).toBe(403);
  });
});
