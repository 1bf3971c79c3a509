import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServerAdapter } from "../../plugins/http/src/server.ts";
import { kindOfAddress } from "../../plugins/kit/address-kind.ts";
import { runAdapter, testAdapterEnvironment } from "../support/run-adapter.ts";

let server: Server;
let url: string;
let asked: { request: IncomingMessage; body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push({ request, body });
    if (request.url === "/silent") return;
    if (request.url === "/away") return void response.writeHead(302, { location: "/ok" }).end();
    if (request.url === "/endless") {
      const more = () => {
        while (response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      return more();
    }
    response.writeHead(Number(request.url?.slice(1)) || 200).end("heard\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const allowed = { allowPrivateHosts: ["127.0.0.1", "localhost"] };
const http = (config: Readonly<Record<string, unknown>>, more: object = {}) => {
  asked = [];
  return runAdapter({ adapter: createServerAdapter(), cwd: tmpdir(), config, ...more });
};

describe("the http adapter", () => {
  it("calls the URL with the payload, the run and the headers filled from the run's variables", async () => {
    const { result, stdout } = await http(
      {
        url: `${url}/ok`,
        ...allowed,
        headers: { Authorization: "Bearer {{env.TOKEN}}" },
        payloadTemplate: { for: "{{taskTitle}}", runId: "mine" },
      },
      { env: { TOKEN: "t-1" } },
    );
    expect(result).toMatchObject({ exitCode: 0, timedOut: false, summary: `HTTP POST ${url}/ok` });
    expect(stdout).toBe("");
    expect(asked).toHaveLength(1);
    expect(asked[0]!.request.headers.authorization).toBe("Bearer t-1");
    const body = JSON.parse(asked[0]!.body);
    expect(body).toMatchObject({ for: "The title", agentId: "agent-1", taskId: "issue-1" });
    expect(body.runId).not.toBe("mine");
  });

  it.each([
    ["/404", { errorCode: "adapter_failed", errorMessage: /404/ }],
    ["/503", { errorFamily: "transient_upstream", errorMessage: /503/ }],
    ["/away", { errorCode: "adapter_failed", errorMessage: /302/ }],
    ["/away", { errorMessage: /Redirects are not followed/ }],
  ])("answers %s with a failure", async (path, { errorMessage, ...expected }) => {
    const { result } = await http({ url: url + path, ...allowed });
    expect(result).toMatchObject({ ...expected, prompted: true });
    expect(result.errorMessage).toMatch(errorMessage);
    expect(asked).toHaveLength(1);
  });

  it("answers silence with a failure after its time limit", async () => {
    const { result } = await http({ url: `${url}/silent`, ...allowed, timeoutSec: 1 });
    expect(result).toMatchObject({ errorCode: "timeout", timedOut: true });
    expect(result.errorMessage).toMatch(/within 1 seconds/);
  });

  it("takes a time limit to the millisecond, and a bracketed address without one", async () => {
    const config = { url: "http://[::1]:1/", allowPrivateHosts: ["[::1]"], timeoutSec: 32.001 };
    expect((await http(config)).result).toMatchObject({
      errorCode: "adapter_failed",
      errorMessage: expect.stringMatching(/failed: E\w+$/),
    });
  });

  it("reads no more than 1 MiB of an answer", async () => {
    expect((await http({ url: `${url}/endless`, ...allowed, timeoutSec: 20 })).result.exitCode).toBe(0);
  });

  it.each([
    ["a private address", () => ({ url }), /allowPrivateHosts/],
    ["a name of this machine", () => ({ url: url.replace("127.0.0.1", "localhost") }), /allowPrivateHosts/],
    ["metadata", () => ({ url: "http://169.254.169.254/", allowPrivateHosts: ["169.254.169.254"] }), /never/],
    [
      "metadata in disguise",
      () => ({ url: "http://[::ffff:a9fe:a9fe]/", allowPrivateHosts: ["[::ffff:a9fe:a9fe]"] }),
      /never/,
    ],
    ["metadata in hexadecimal", () => ({ url: "http://0xa9fea9fe/" }), /never/],
    ["a file", () => ({ url: "file:///etc/passwd" }), /http:/],
    ["credentials in the URL", () => ({ url: "http://a:b@example.org/" }), /credentials/],
    ["no URL", () => ({}), /url is required/],
    ["no time limit", () => ({ url, timeoutSec: 0 }), /time limit/],
    ["a header that is the connection's", () => ({ url, headers: { Host: "x" } }), /no header/],
    [
      "a header that goes on behind the end of its line",
      () => ({ url, ...allowed, headers: { "X-Note": "a\r\nX-Evil: 1" } }),
      /headers\.X-Note holds what no header may hold/,
    ],
  ])("refuses %s", async (_what, config, sentence) => {
    const { result } = await http(config());
    expect(result).toMatchObject({ errorCode: "configuration_incomplete" });
    expect(result.errorMessage).toMatch(sentence);
    expect(asked).toEqual([]);
  });

  it.each([
    ["93.184.216.34", "public"],
    ["2606:4700::1", "public"],
    ["10.1.2.3", "private"],
    ["172.31.255.255", "private"],
    ["172.32.0.1", "public"],
    ["192.168.0.1", "private"],
    ["127.9.9.9", "private"],
    ["100.64.0.1", "private"],
    ["::1", "private"],
    ["::", "private"],
    ["::7f00:1", "private"],
    ["fec0::1", "private"],
    ["fd12::1", "private"],
    ["169.254.169.254", "never"],
    ["100.100.100.200", "never"],
    ["168.63.129.16", "never"],
    ["fd20:ce::254", "never"],
    ["0.0.0.0", "never"],
    ["fe80::1", "never"],
    ["fd00:ec2::254", "never"],
    ["::ffff:127.0.0.1", "never"],
    ["::ffff:7f00:1", "never"],
    ["64:ff9b::a9fe:a9fe", "never"],
    ["not an address", "never"],
  ])("%s is %s", (address, kind) => {
    expect(kindOfAddress(address)).toBe(kind);
  });

  it.each([
    [{}, ["http_url_missing"], "fail"],
    [{ url: "ftp://x" }, ["http_url_protocol_invalid"], "fail"],
    [{ url: "what?" }, ["http_url_invalid"], "fail"],
    [
      { url: "here", ...allowed },
      ["http_url_valid", "http_method_configured", "http_endpoint_probe_ok"],
      "pass",
    ],
    [{ url: "here" }, ["http_url_valid", "http_method_configured", "http_endpoint_probe_failed"], "fail"],
  ])("tests %j", async (given, codes, status) => {
    const config = { ...given, ...("url" in given && given.url === "here" ? { url } : {}) };
    const report = await testAdapterEnvironment({ adapter: createServerAdapter(), cwd: tmpdir(), config });
    expect(report.checks.map(({ code }) => code)).toEqual(codes);
    expect(report.status).toBe(status);
  });
});
