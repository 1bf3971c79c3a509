import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { startToolServer, type ToolServer, toolProgram } from "../support/tool-server.ts";

let api: ApiService;
let companyId: string;
let secretId: string;
const value = "wicker-basket-4711";
const servers: ToolServer[] = [];

beforeAll(async () => {
  api = await startApi({ env: { SERVICE_SANDBOX: "auto" } });
  companyId = (await api.company()).id;
  secretId = (await api.make(`/api/companies/${companyId}/secrets`, { name: "Tickets", value })).id;
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => api.stop());

const server = async (options: Parameters<typeof startToolServer>[0] = {}) => {
  const started = await startToolServer(options);
  servers.push(started);
  return started;
};

const aName = () => `s${randomUUID().slice(0, 8)}`.replace(/-/g, "");
const ref = (more: object = {}) => ({ type: "secret_ref", secretId, ...more });
const add = (fields: object, company = companyId) =>
  api.post(`/api/companies/${company}/mcp-servers`, {
    name: aName(),
    allowPrivateHost: true,
    ...fields,
  });
const program = (fields: object = {}) => ({
  command: "node",
  args: ["-e", toolProgram],
  env: { SCALES_KEY: ref() },
  ...fields,
});

describe("An MCP server of a company", () => {
  it("sends its secrets to another host only where the same request names them", async () => {
    const [tickets, other] = [await server(), await server()];
    const headers = { Authorization: ref({ prefix: "Bearer " }) };
    const { body } = await add({ url: tickets.url, headers });
    const path = `/api/mcp-servers/${body.id}`;
    expect(await api.patch(path, { url: other.url })).toMatchObject({
      status: 400,
      body: { code: "validation_error", details: [{ path: ["headers"], code: "required" }] },
    });
    expect(await api.patch(path, { url: other.url, headers })).toMatchObject({
      status: 200,
      body: { url: other.url },
    });
  });

  it("that is a program sends its secrets to another host only where the same request names them", async () => {
    const leadingTo = (url: string) => [...program().args, "--", `--api=${url}`];
    const { body } = await add(program({ args: leadingTo("https://one.example.com") }));
    const path = `/api/mcp-servers/${body.id}`;
    const args = leadingTo("https://two.example.com");
    expect(await api.patch(path, { args })).toMatchObject({
      status: 400,
      body: { code: "validation_error", details: [{ path: ["env"], code: "required" }] },
    });
    expect(await api.patch(path, { args, env: program().env })).toMatchObject({
      status: 200,
      body: { args },
    });
  });

  it.each([false, true])(
    "at a URL is added with the tools that it lists (as a stream: %s)",
    async (streams) => {
      const tickets = await server({ authorization: `Bearer ${value}`, streams });
      const name = aName();
      const { status, body } = await add({
        name,
        url: tickets.url,
        headers: { Authorization: ref({ prefix: "Bearer " }) },
        roles: ["engineer"],
      });
      expect([status, body]).toMatchObject([
        201,
        {
          name,
          url: tickets.url,
          command: null,
          headers: { Authorization: { type: "secret_ref", secretId, prefix: "Bearer " } },
          tools: [{ name: "lookup", description: "Looks up a ticket." }],
          testedAt: expect.any(String),
        },
      ]);
      expect(tickets.methods).toEqual(["initialize", "notifications/initialized", "tools/list"]);
      expect(JSON.stringify(body)).not.toContain(value);
      expect((await api.get(`/api/mcp-servers/${body.id}`)).body).toEqual(body);
      expect((await api.get(`/api/companies/${companyId}/mcp-servers`)).body).toContainEqual(body);
    },
  );

  it("as a command is tested in the sandbox, with its variables", async () => {
    const { status, body } = await add(program());
    expect([status, body]).toMatchObject([201, { url: null, tools: [{ name: "weigh" }] }]);
  });

  it("is tested again by an empty change, and is not changed where it fails", async () => {
    const tickets = await server();
    const { body } = await add({ url: tickets.url });
    expect((await api.patch(`/api/mcp-servers/${body.id}`, {})).status).toBe(200);
    tickets.close();
    const refused = await api.patch(`/api/mcp-servers/${body.id}`, { roles: ["x"] });
    expect([refused.status, refused.body]).toMatchObject([422, { code: "mcp_server_unusable" }]);
    expect((await api.get(`/api/mcp-servers/${body.id}`)).body.roles).toEqual([]);
  });

  it.each([
    [
      "without the credentials",
      async () => ({ url: (await server({ authorization: "x" })).url }),
      /refuses the credentials \(401\)/,
    ],
    [
      "that redirects",
      async () => ({ url: (await server({ redirectTo: "http://169.254.169.254/" })).url }),
      /redirects elsewhere/,
    ],
    ["that lists no tools", async () => ({ url: (await server({ tools: "many" })).url }), /without tools/],
    [
      "at an address of a private network",
      async () => ({ url: (await server()).url, allowPrivateHost: false }),
      /allowPrivateHost/,
    ],
    [
      "at the address of a cloud's credentials",
      async () => ({ url: "http://169.254.169.254/mcp" }),
      /never called/,
    ],
    ["of a missing program", async () => program({ command: "no-such-server" }), /was not found/],
    ["of a program that ends", async () => program({ env: {} }), /exit code 3.*SCALES_KEY is missing/],
    [
      "whose program tells its secret",
      async () => program({ args: ["-e", "console.error(process.env.SCALES_KEY); process.exit(1)"] }),
      /exit code 1.*: ••••$/,
    ],
  ])("is refused with a sentence %s, and not stored", async (_, fields, sentence) => {
    const before = (await api.get(`/api/companies/${companyId}/mcp-servers`)).body.length;
    const { status, body } = await add(await fields());
    expect([status, body.code]).toEqual([422, "mcp_server_unusable"]);
    expect(body.error).toMatch(sentence);
    expect((await api.get(`/api/companies/${companyId}/mcp-servers`)).body).toHaveLength(before);
  });

  it.each([
    ["the service's own name", { name: "boardroom" }, "name"],
    ["a name that ends in the middle", { name: "tickets__boardroom" }, "name"],
    ["a URL and a command", { command: "node" }, "url"],
    ["a password in the URL", { url: "http://u:p@127.0.0.1/mcp" }, "url"],
    ["a key in the URL", { url: "http://127.0.0.1/mcp?api_key=abc" }, "url"],
    ["a secret in clear", { headers: { "X-Api-Key": { type: "plain", value: "abc" } } }, "headers"],
    ["a header of the connection", { headers: { Host: { type: "plain", value: "abc" } } }, "headers"],
    ["a secret as an argument", { url: null, command: "node", args: ["--key", "sk-123456"] }, "args"],
    [
      "a variable of the service",
      { url: null, command: "node", env: { SERVICE_API_KEY: { type: "plain", value: "x" } } },
      "env",
    ],
  ])("is refused with %s", async (_, fields, field) => {
    const { status, body } = await add({ url: "http://127.0.0.1:9/mcp", ...fields });
    expect([status, body.code]).toEqual([400, "validation_error"]);
    expect(body.details.map(({ path }: { path: string[] }) => path[0])).toContain(field);
  });

  it("has a name of its own, and no secret of another company", async () => {
    const tickets = await server();
    const { body } = await add({ url: tickets.url });
    expect((await add({ url: tickets.url, name: body.name })).body.code).toBe("mcp_server_name_taken");
    const other = (await api.company()).id;
    const foreign = await add({ url: tickets.url, headers: { A: ref() } }, other);
    expect([foreign.status, foreign.body]).toMatchObject([
      422,
      { code: "reference_not_found", details: { path: ["headers", "A", "secretId"] } },
    ]);
  });

  it("is shown for the agents that get it: all, those, and those of a role", async () => {
    const company = (await api.company()).id;
    const { id: chosen } = await api.agent(company, { role: "engineer" });
    const { id: other } = await api.agent(company, { role: "designer" });
    const { url } = await server();
    await add({ name: "for-all", url, allAgents: true }, company);
    await add({ name: "for-one", url, agentIds: [chosen] }, company);
    await add({ name: "for-role", url, roles: ["designer"] }, company);
    await add({ name: "for-none", url }, company);
    const of = async (id: string) =>
      (await api.get(`/api/agents/${id}/mcp-servers`)).body.map(({ name }: { name: string }) => name);
    expect([await of(chosen), await of(other)]).toEqual([
      ["for-all", "for-one"],
      ["for-all", "for-role"],
    ]);
  });

  it("keeps its secret from being deleted without force", async () => {
    const company = (await api.company()).id;
    const secret = await api.make(`/api/companies/${company}/secrets`, { name: "S", value });
    const { url } = await server();
    const { body } = await add({ url, headers: { A: { type: "secret_ref", secretId: secret.id } } }, company);
    expect((await api.get(`/api/secrets/${secret.id}/usage`)).body).toEqual({
      secretId: secret.id,
      bindings: [],
      repositories: [],
      mcpServers: [{ id: body.id, name: body.name }],
    });
    const [listed] = (await api.get(`/api/companies/${company}/secrets`)).body;
    expect(listed).toMatchObject({ referenceCount: 0, repositoryCount: 0, mcpServerCount: 1 });
    const refused = await api.request("DELETE", `/api/secrets/${secret.id}`);
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: "secret_bound", details: { mcpServers: [{ id: body.id, name: body.name }] } },
    ]);
    expect((await api.request("DELETE", `/api/mcp-servers/${body.id}`)).status).toBe(200);
    expect((await api.request("DELETE", `/api/secrets/${secret.id}`)).status).toBe(200);
  });
});
