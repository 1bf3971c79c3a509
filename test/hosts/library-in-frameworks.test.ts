import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ListenOptions } from "../../hosts/http/listener.ts";
import { nodeHandler } from "../../hosts/http/node-handler.ts";
import { freePort } from "../support/free-port.ts";

/** Answers with the request. */
const echo: ListenOptions["handle"] = async (request) => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    path: request.path,
    query: request.query,
    body: Buffer.from(await request.readBody(1024)).toString(),
  }),
});

describe.each(["express", "fastify"])("the example with %s", (framework) => {
  let child: ChildProcess;
  let dataDir: string;
  let url: string;
  let token: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), `boardroom-${framework}-`));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    child = spawn(process.execPath, [join(import.meta.dirname, `../../examples/${framework}.mjs`), dataDir], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: `${port}`, SERVICE_SANDBOX: "off" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout!, "data");
    token = (await readFile(join(dataDir, "board-token"), "utf8")).trim();
  });
  afterAll(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
    await rm(dataDir, { recursive: true, force: true });
  });

  it("answers reads and writes below /api, and its own pages next to them", async () => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const made = await fetch(`${url}/api/companies`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "Harbour Works" }),
    });
    expect(made.status).toBe(201);
    expect(await (await fetch(`${url}/api/companies`, { headers })).json()).toMatchObject([
      { name: "Harbour Works" },
    ]);
    expect(await (await fetch(url)).text()).toContain("This is our own page.");
  });
});

describe("behind a body parser of Express", () => {
  const app = express();
  app.use(express.json());
  app.use(express.urlencoded({ extended: false }));
  app.use("/api", nodeHandler(echo));
  const server = app.listen(0, "127.0.0.1");
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/issues?q=x`;
  afterAll(() => void server.close());

  const post = (contentType: string, body: string, headers: Record<string, string> = {}) =>
    fetch(url(), { method: "POST", headers: { "content-type": contentType, ...headers }, body });

  it("a JSON body is taken as parsed, below the whole path", async () => {
    const answer = await post("application/json", '{ "title" :  "Look" }');
    expect(await answer.json()).toEqual({ path: "/api/issues", query: "q=x", body: '{"title":"Look"}' });
  });

  it.each([
    ["a body of another kind", "application/x-www-form-urlencoded", "a=1", {}],
    ["a signed body", "application/json", "{}", { "x-service-signature": "00" }],
  ])("%s is refused at once, with a sentence", async (_title, contentType, body, headers) => {
    const answer = await post(contentType, body, headers);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: "body_already_read",
      error: expect.stringMatching(/Mount Boardroom before body parsers/),
    });
  });
});
