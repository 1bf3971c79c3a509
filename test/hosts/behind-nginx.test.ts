import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import {
  callThrough,
  findNginx,
  openThrough,
  publicName,
  type Sent,
  shownBlocks,
  temporaryPaths,
  untilProxyAnswers,
  withCertificate,
} from "../support/nginx.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

const nginx = findNginx();
const { server: shown } = shownBlocks();
const name = publicName;

describe.skipIf(nginx === null)("behind nginx, configured as in docs/operations.md", () => {
  let folder: string;
  let service: ServiceProgram;
  let proxy: ChildProcess;
  let port: number;
  let token: string;

  /** Replaces the machine-specific parts of the page's block, and nothing else. */
  const begin = async (publicUrl: string, changed = shown) => {
    service = await serveProgram(await preparedDataDirectory(join(folder, "data")), {
      SERVICE_PUBLIC_URL: publicUrl,
    });
    token = await service.token();
    port = await freePort();
    const server = withCertificate(changed, folder, port).replace("http://127.0.0.1:3100", service.url);
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; master_process off; pid ${join(folder, "pid")}; error_log ${join(folder, "error.log")};
       events {} http { access_log off; ${temporaryPaths(folder)} ${server} }`,
    );
    proxy = spawn(nginx!, ["-e", join(folder, "error.log"), "-c", join(folder, "nginx.conf")], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    const { pathname } = new URL(publicUrl);
    await untilProxyAnswers(proxy, () => call("GET", `${pathname === "/" ? "" : pathname}/api/health`));
  };
  const end = async () => {
    if (proxy !== undefined && proxy.exitCode === null) {
      proxy.kill("SIGTERM");
      await once(proxy, "close");
    }
    await service?.stop();
  };

  const open = (method: string, path: string, sent?: Sent) => openThrough(port, token, method, path, sent);
  const call = (method: string, path: string, sent?: Sent) => callThrough(port, token, method, path, sent);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call("POST", path, {
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "nginx-"));
  });
  afterEach(end);
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test("names, https, files and events pass through", async () => {
    await begin(`https://${name}`);
    expect(await call("GET", "/api/health")).toMatchObject({ status: 200 });
    expect(await call("GET", "/api/health", { headers: { host: "evil.example.org" } })).toMatchObject({
      status: 403,
      text: expect.stringContaining("host_not_allowed"),
    });
    expect(await post("/api/session", {}, { origin: "https://evil.example.org" })).toMatchObject({
      status: 403,
      text: expect.stringContaining("origin_not_allowed"),
    });
    const signedIn = await post("/api/session", {}, { origin: `https://${name}` });
    expect(signedIn.headers["set-cookie"]?.[0]).toMatch(/HttpOnly; SameSite=Strict.*; Secure$/);

    const company = JSON.parse((await post("/api/companies", { name: "Behind Works" })).text).id as string;
    const issue = JSON.parse((await post(`/api/companies/${company}/issues`, { title: "Look" })).text)
      .id as string;
    const upload = (bytes: number) => {
      const [head, tail] = [
        '--b\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\ncontent-type: text/plain\r\n\r\n',
        "\r\n--b--\r\n",
      ];
      return call("POST", `/api/companies/${company}/issues/${issue}/attachments`, {
        headers: { "content-type": "multipart/form-data; boundary=b" },
        body: Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, "a"), Buffer.from(tail)]),
      });
    };
    expect((await upload(10 * 1024 * 1024)).status).toBe(201);
    expect(await upload(10 * 1024 * 1024 + 1)).toMatchObject({
      status: 413,
      text: expect.stringContaining("payload_too_large"),
    });

    const stream = await open("GET", `/api/companies/${company}/events`);
    expect(stream.headers["content-type"]).toContain("text/event-stream");
    let received = "";
    stream.on("data", (chunk) => {
      received += String(chunk);
    });
    await eventually(
      async () => received,
      (text) => text.includes("following"),
    );
    await post(`/api/issues/${issue}/comments`, { body: "Here." });
    await eventually(
      async () => received,
      (text) => text.includes("issue.comment"),
    );
    stream.destroy();
  });

  test("every address for people contains the path prefix that the proxy removes", {
    timeout: 120_000,
  }, async () => {
    const below = shown
      .replace("location / {", "location /boardroom/ {")
      .replace("http://127.0.0.1:3100;", "http://127.0.0.1:3100/;");
    await begin(`https://${name}/boardroom`, below);
    expect(await call("GET", "/boardroom/api/health")).toMatchObject({ status: 200 });
    const document = await call("GET", "/boardroom/", { headers: { accept: "text/html" } });
    expect(document.text).toContain('<base href="/boardroom/">');
    const [, script] = /src="([^"]+\.js)"/.exec(document.text) ?? [];
    expect(await call("GET", new URL(script!, `https://${name}/boardroom/`).pathname)).toMatchObject({
      status: 200,
    });
  });
});
