import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { assistant } from "../support/mcp-client.ts";
import { type Browser, browserOf } from "../support/oauth-client.ts";
import { passingProxy } from "../support/passing-proxy.ts";
import { selfSigned } from "../support/self-signed.ts";

const redirectUrl = "http://127.0.0.1:4711/callback";

const signIn = async (api: ApiService): Promise<Browser> =>
  browserOf(await api.post("/api/session", undefined, { token: api.token }));

/** Allows the scopes, as the page does; records the addresses at which it was opened. */
const allowing =
  (api: ApiService, browser: Browser, scopes = ["read", "work", "decide"], opened: URL[] = []) =>
  async (page: URL): Promise<URL> => {
    opened.push(page);
    const answer = await api.post("/api/assistants", { request: page.search.slice(1), scopes }, browser);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return new URL(answer.body.redirectUrl);
  };

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]!.text;

describe("The official client", () => {
  let api: ApiService;
  beforeAll(async () => {
    api = await startApi();
    await api.company("Harbour Works");
  });
  afterAll(() => api?.stop());

  it.each(["127.0.0.1", "localhost"])("comes in at %s without any setting", async (name) => {
    const url = `http://${name}:${new URL(api.url).port}`;
    const opened: URL[] = [];
    const browser = await signIn(api);
    const program = assistant(`${url}/mcp`, {
      redirectUrl,
      consent: allowing(api, browser, undefined, opened),
    });
    const client = await program.connect();
    expect(opened.map(({ origin, pathname }) => origin + pathname)).toEqual([`${url}/oauth/authorize`]);
    expect(Object.fromEntries(opened[0]!.searchParams)).toMatchObject({
      resource: `${url}/mcp`,
      scope: "read work decide",
      code_challenge_method: "S256",
    });
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("search_issues");
    const listed = await client.callTool({ name: "call_operation", arguments: { name: "companies.list" } });
    expect(textOf(listed)).toContain("Harbour Works");
    expect((await api.get("/api/assistants", browser)).body.at(-1)).toMatchObject({ name: "Test Assistant" });
    await client.close();
  });

  it("refreshes an access token that has expired, without the person", async () => {
    const browser = await signIn(api);
    const program = assistant(`${api.url}/mcp`, { redirectUrl, consent: allowing(api, browser) });
    const client = await program.connect();
    const before = program.session.tokens!;
    await api.sql`update assistant_tokens set expires_at = now() where kind = 'access'`;
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    expect(program.session.tokens!.access_token).not.toBe(before.access_token);
    expect(program.session.tokens!.refresh_token).not.toBe(before.refresh_token);
    await client.close();
  });

  it("asks the person again when they have disconnected it", async () => {
    const browser = await signIn(api);
    const opened: URL[] = [];
    const consent = allowing(api, browser, undefined, opened);
    const program = assistant(`${api.url}/mcp`, { redirectUrl, consent });
    await (await program.connect()).close();
    for (const { id } of (await api.get("/api/assistants", browser)).body)
      await api.delete(`/api/assistants/${id}`, browser);
    const client = await program.connect();
    expect(opened).toHaveLength(2);
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();
  });

  it("asks for more scopes when a call needs them", async () => {
    const browser = await signIn(api);
    const opened: URL[] = [];
    const program = assistant(`${api.url}/mcp`, {
      redirectUrl,
      scope: "read",
      consent: allowing(api, browser, ["read"], opened),
    });
    const client = await program.connect();
    const create = { name: "call_operation", arguments: { name: "projects.create" } };
    await expect(client.callTool(create)).rejects.toThrow();
    expect(program.session.page!.searchParams.get("scope")).toBe("read work");
    await client.close();
  });

  it("comes in by the document of its site, which the person sees", async () => {
    const site = createServer(selfSigned(), (request, response) => {
      const client_id = `https://localhost:${port}${request.url}`;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ client_id, client_name: "Sited", redirect_uris: [redirectUrl] }));
    }).listen(0, "127.0.0.1");
    await once(site, "listening");
    const { port } = site.address() as AddressInfo;
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const near = await startApi({ env: { SERVICE_OUTBOUND_PRIVATE_HOSTS: "localhost" } });
    try {
      const browser = await signIn(near);
      const clientMetadataUrl = `https://localhost:${port}/client.json`;
      const opened: URL[] = [];
      const program = assistant(`${near.url}/mcp`, {
        redirectUrl,
        clientMetadataUrl,
        consent: allowing(near, browser, undefined, opened),
      });
      await (await program.connect()).close();
      expect(opened[0]!.searchParams.get("client_id")).toBe(clientMetadataUrl);
      const request = opened[0]!.search.slice(1);
      expect((await near.post("/api/assistants/requests", { request }, browser)).body).toMatchObject({
        name: "Sited",
        site: `localhost:${port}`,
      });
      expect(await near.sql`select id from oauth_clients`).toHaveLength(0);
    } finally {
      await near.stop();
      vi.unstubAllEnvs();
      site.closeAllConnections();
      site.close();
    }
  });

  it("comes in at a service below a path of a proxy", async () => {
    const proxy = await passingProxy("/board");
    const publicUrl = proxy.url;
    const below = await startApi({ env: { SERVICE_PUBLIC_URL: publicUrl } });
    proxy.passTo(below.url);
    try {
      const opened: URL[] = [];
      const consent = allowing(below, await signIn(below), undefined, opened);
      const client = await assistant(`${publicUrl}/mcp`, { redirectUrl, consent }).connect();
      expect(opened[0]!.origin + opened[0]!.pathname).toBe(`${publicUrl}/oauth/authorize`);
      expect((await client.listTools()).tools.length).toBeGreaterThan(5);
      await client.close();
    } finally {
      await below.stop();
      proxy.close();
    }
  });
});
