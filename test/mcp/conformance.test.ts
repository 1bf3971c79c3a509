import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { freePort } from "../support/free-port.ts";
import { browserOf, register } from "../support/oauth-client.ts";

// The protocol's own scenarios against the real route.

const own = (path: string) => fileURLToPath(new URL(path, import.meta.url));

let api: ApiService;
let withToken: Server;
let cwd: string;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
  api = await startApi();
  const { id: companyId } = await api.company();
  const { id: agentId } = await api.agent(companyId);
  const { id: issueId } = await api.issue(companyId, { assigneeAgentId: agentId });
  const { token } = await api.atWork(agentId, issueId);
  // The scenarios know no header: this adds the token, and leaves Host and Origin as they are.
  withToken = createServer((asked, answered) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const { method } = asked;
    const passed = request(`${api.url}/mcp`, { method, headers }, (answer) => {
      answered.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(answered);
    });
    passed.on("error", (error) => answered.destroy(error));
    asked.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(withToken, "listening");
});
afterAll(async () => {
  withToken?.closeAllConnections();
  withToken?.close();
  await api?.stop();
  if (cwd) rmSync(cwd, { recursive: true, force: true });
});

const conform = (scenario: string) =>
  new Promise<{ readonly code: unknown; readonly output: string }>((resolve) => {
    const { port } = withToken.address() as AddressInfo;
    const program = own("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    const args = ["server", "--url", `http://127.0.0.1:${port}/mcp`, "--scenario", scenario];
    execFile(
      process.execPath,
      ["--import", own("older-node.mjs"), program, ...args],
      { cwd },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });

describe("The service's tools conform to the protocol in", () => {
  it.each(["server-initialize", "ping", "tools-list", "dns-rebinding-protection"])("%s", async (scenario) => {
    const { code, output } = await conform(scenario);
    expect(code, output).toBe(0);
    expect(output).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/);
  });
});

describe("The service's authorization conforms to the protocol", () => {
  it("in its metadata, and in the grant of a code that a person allows on the page", async () => {
    const origin = api.url;
    const port = await freePort();
    const { body: client } = await register(origin, {
      client_name: "Conformance",
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
    });
    const { url } = await api.make("/api/session/links");
    const browser = browserOf(
      await api.post("/api/session/code", { code: url.split("#code=")[1] }, { token: null }),
    );
    const program = own("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    const child = spawn(
      process.execPath,
      [
        ...["--import", own("older-node.mjs"), program, "authorization", "--url", origin],
        ...["--client-id", client.client_id, "--resource", `${origin}/mcp`, "--port", `${port}`],
      ],
      { cwd, stdio: ["ignore", "pipe", "pipe"] },
    );
    let output = "";
    let isAllowed = false;
    const read = async (chunk: Buffer) => {
      output += chunk;
      const query = /\/oauth\/authorize\?(\S+)\s/.exec(output)?.[1];
      if (query === undefined || isAllowed) return;
      isAllowed = true;
      const allowed = await api.post("/api/assistants", { request: query, scopes: ["read"] }, browser);
      await fetch(allowed.body.redirectUrl);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    const [code] = await once(child, "close");
    expect(code, output).toBe(0);
    expect(isAllowed, output).toBe(true);
    expect(output).toMatch(/authorization-code-grant: [1-9]\d* passed, 0 failed/);
  });
});
