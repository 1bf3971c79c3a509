import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { endpoints } from "../../hosts/api/index.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import type { RawAnswer } from "../support/service.ts";
import { startToolServer, type ToolServer, toolProgram } from "../support/tool-server.ts";

let api: ApiService;
let companyId: string;
let secretId: string;
let secretKey: string;
let hosts: readonly [GitHost, GitHost];
let tools: readonly [ToolServer, ToolServer];

beforeAll(async () => {
  [api, hosts, tools] = await Promise.all([
    startApi({ env: { SERVICE_SANDBOX: "auto" } }),
    Promise.all([startGitHost(), startGitHost()]),
    Promise.all([startToolServer(), startToolServer()]),
  ]);
  companyId = (await api.company()).id;
  ({ id: secretId, key: secretKey } = await api.make(`/api/companies/${companyId}/secrets`, {
    name: "Key",
    value: hosts[0].token!,
  }));
});
afterAll(async () => {
  for (const each of [...(hosts ?? []), ...(tools ?? [])]) each.close();
  await api?.stop();
});

const stored = () => ({ type: "secret_ref", secretId, version: "latest" });
const names = { made: 0 };
const aName = (): string => {
  names.made += 1;
  return `n${names.made}`;
};

/** A way in which a stored secret could get to another host. */
interface Way {
  /** The endpoint that leads it there. */
  readonly by: string;
  readonly name: string;
  /** Makes what has the secret at its first host, and returns what leads it to another. */
  arrange(): Promise<{
    /** `isNamed`: names the secret again. */
    readonly change: (isNamed: boolean) => Promise<RawAnswer>;
    /** Where the refusal says that the secret is to be named. */
    readonly path: readonly string[];
    /** The record that has the address. */
    readonly read: () => Promise<unknown>;
  }>;
}

const address = "https://one.example.com/v1";
const elsewhere = "https://two.example.com/v1";

type Settings = Readonly<Record<string, unknown>> & { readonly env?: object };

const anAgent = async (adapterConfig: Settings, adapterType = "process") => {
  const { id, urlKey } = await api.make(`/api/companies/${companyId}/agents`, {
    name: aName(),
    adapterType,
    adapterConfig: { ...adapterConfig, env: { ...adapterConfig.env, KEY: stored() } },
  });
  const read = async () => (await api.get(`/api/agents/${id}`)).body.adapterConfig;
  return { id: String(id), urlKey: String(urlKey), read };
};

/** A change of an agent's settings from those that lead to an address to those that lead elsewhere. */
const ofSettings = (
  name: string,
  from: Settings,
  to: Settings,
  { adapterType = "process", isMasked = false } = {},
): Way => ({
  by: "agents.update",
  name: `settings of an agent: ${name}`,
  arrange: async () => {
    const { id, read } = await anAgent(
      adapterType === "process" ? { command: "true", ...from } : from,
      adapterType,
    );
    const env = (key: unknown) => ({ adapterConfig: { ...to, env: { ...to.env, KEY: key } } });
    return {
      change: (isNamed) =>
        api.patch(
          `/api/agents/${id}`,
          isNamed ? env(stored()) : isMasked ? env("••••") : { adapterConfig: to },
        ),
      path: ["adapterConfig", "env"],
      read,
    };
  },
});

const hire = (url: string, key: unknown) => ({
  name: aName(),
  adapterType: "process",
  adapterConfig: { command: "true", env: { API_URL: url, KEY: key } },
});

const anMcpServer = async (fields: object) => {
  const { id } = await api.make(`/api/companies/${companyId}/mcp-servers`, {
    name: aName(),
    allowPrivateHost: true,
    ...fields,
  });
  const path = `/api/mcp-servers/${id}`;
  return { path, read: async () => (await api.get(path)).body };
};

/** A change of an MCP server's fields, which names its secret in one of them. */
const ofMcpServer = (name: string, from: () => object, to: () => object, named: "headers" | "env"): Way => ({
  by: "mcpServers.update",
  name: `an MCP server: ${name}`,
  arrange: async () => {
    const { path, read } = await anMcpServer(from());
    const secret = { [named]: (from() as Readonly<Record<string, object>>)[named] };
    return {
      change: (isNamed) => api.patch(path, isNamed ? { ...to(), ...secret } : to()),
      path: [named],
      read,
    };
  },
});
const program = (url: string) => ({
  command: "node",
  args: ["-e", toolProgram, "--", `--api=${url}`],
  env: { SCALES_KEY: { type: "secret_ref", secretId } },
});

const aRepository = async () => {
  const { id: projectId } = await api.make(`/api/companies/${companyId}/projects`, { name: aName() });
  const { id } = await api.make(`/api/projects/${projectId}/repositories`, {
    url: hosts[0].url,
    credentialSecretId: secretId,
    allowPrivateHost: true,
  });
  const path = `/api/repositories/${id}`;
  return { path, read: async () => (await api.get(path)).body };
};

const ways: readonly Way[] = [
  ofSettings("the address that it calls", { url: address }, { url: elsewhere }, { adapterType: "http" }),
  ofSettings(
    "a masked secret",
    { env: { API_URL: address } },
    { env: { API_URL: elsewhere } },
    { isMasked: true },
  ),
  ofSettings(
    "ANTHROPIC_BASE_URL",
    { env: { ANTHROPIC_BASE_URL: address } },
    { env: { ANTHROPIC_BASE_URL: elsewhere } },
  ),
  ofSettings(
    "a plain value",
    { env: { OPENAI_BASE_URL: address } },
    {
      env: { OPENAI_BASE_URL: { type: "plain", value: elsewhere } },
    },
  ),
  ofSettings(
    "an address that is removed",
    { env: { ANTHROPIC_BASE_URL: address } },
    { env: { ANTHROPIC_BASE_URL: null } },
  ),
  ofSettings("a first address", {}, { env: { AZURE_OPENAI_ENDPOINT: elsewhere } }),
  ofSettings(
    "a proxy",
    { env: { https_proxy: "one.example.com:80" } },
    { env: { https_proxy: "two.example.com:80" } },
  ),
  ofSettings(
    "a host",
    { env: { MODEL_HOST: "one.example.com" } },
    { env: { MODEL_HOST: "two.example.com" } },
  ),
  ofSettings(
    "an address in a text",
    { env: { SETTINGS: `{"baseURL":"${address}"}` } },
    {
      env: { SETTINGS: `{"baseURL":"${elsewhere}"}` },
    },
  ),
  ofSettings(
    "an address in an argument",
    { args: [`--api-base=${address}`] },
    { args: [`--api-base=${elsewhere}`] },
  ),
  ofSettings(
    "a host in an argument",
    { args: ["--host=one.example.com"] },
    { args: ["--host=two.example.com"] },
  ),
  ofSettings(
    "a host in the argument after",
    { args: ["--api-host", "one.example.com"] },
    {
      args: ["--api-host", "two.example.com"],
    },
  ),
  ofSettings(
    "another scheme",
    { env: { REDIS_URL: "rediss://one.example.com" } },
    {
      env: { REDIS_URL: "redis://one.example.com" },
    },
  ),
  {
    by: "agents.rollback",
    name: "an earlier configuration of an agent",
    arrange: async () => {
      const { id, read } = await anAgent({ command: "true", env: { API_URL: elsewhere } });
      await api.patch(`/api/agents/${id}`, { adapterConfig: { env: { API_URL: address, KEY: stored() } } });
      const [, first] = (await api.get(`/api/agents/${id}/config-revisions`)).body;
      const path = `/api/agents/${id}/config-revisions/${first.id}/rollback`;
      return {
        change: (isNamed) => api.post(path, { secrets: [isNamed ? "KEY" : "OTHER"] }),
        path: ["secrets"],
        read,
      };
    },
  },
  {
    by: "approvals.resubmit",
    name: "a hire that is resubmitted",
    arrange: async () => {
      const made = await api.make(`/api/companies/${companyId}/agent-hires`, hire(address, stored()));
      const path = `/api/approvals/${made.approval.id}`;
      await api.make(`${path}/request-revision`);
      return {
        change: (isNamed) =>
          api.post(`${path}/resubmit`, { payload: hire(elsewhere, isNamed ? stored() : "••••") }),
        path: ["payload", "adapterConfig", "env"],
        read: async () => (await api.get(path)).body.payload.adapterConfig,
      };
    },
  },
  ofMcpServer(
    "its address",
    () => ({ url: tools[0].url, headers: { KEY: { type: "secret_ref", secretId } } }),
    () => ({ url: tools[1].url }),
    "headers",
  ),
  ofMcpServer(
    "an argument of its program",
    () => program(address),
    () => ({ args: program(elsewhere).args }),
    "env",
  ),
  ofMcpServer(
    "an address in its program",
    () => program(address),
    () => ({ command: "/usr/bin/env", args: ["node", "-e", toolProgram, "--", elsewhere] }),
    "env",
  ),
  {
    by: "repositories.update",
    name: "the address of a repository",
    arrange: async () => {
      const { path, read } = await aRepository();
      return {
        change: (isNamed) =>
          api.patch(path, { url: hosts[1].url, ...(isNamed ? { credentialSecretId: secretId } : {}) }),
        path: ["credentialSecretId"],
        read,
      };
    },
  },
  {
    by: "repositories.update",
    name: "the address of a repository host's interface",
    arrange: async () => {
      const { path, read } = await aRepository();
      const fields = { hostApiUrl: hosts[1].url };
      return {
        change: (isNamed) =>
          api.patch(path, { ...fields, ...(isNamed ? { credentialSecretId: secretId } : {}) }),
        path: ["credentialSecretId"],
        read,
      };
    },
  },
];

describe("A stored secret gets to another host only where the same request names it again", () => {
  it.each(ways.map((way) => [way.name, way] as const))("by %s", async (_, way) => {
    const { change, path, read } = await way.arrange();
    const before = await read();
    const refused = await change(false);
    expect([400, 422]).toContain(refused.status);
    const { details } = refused.body;
    expect(Array.isArray(details) ? details[0].path : details.path).toEqual(path);
    expect(await read()).toEqual(before);
    const changed = await change(true);
    expect(changed, JSON.stringify(changed.body)).toMatchObject({ status: 200 });
    expect(await read()).not.toEqual(before);
  });
});

it("An address may change where the agent has no secret", async () => {
  const { id } = await api.make(`/api/companies/${companyId}/agents`, {
    name: aName(),
    adapterType: "process",
    adapterConfig: { command: "true", env: { ANTHROPIC_BASE_URL: address } },
  });
  const changed = await api.patch(`/api/agents/${id}`, {
    adapterConfig: { env: { ANTHROPIC_BASE_URL: elsewhere } },
  });
  expect(changed.status).toBe(200);
});

it("A template leads a stored secret to another host only where it declares both", async () => {
  const { id, urlKey, read } = await anAgent({ command: "true", env: { API_URL: address } });
  const path = `/api/companies/${companyId}`;
  const declare = async (env: object) => {
    const { template } = (await api.get(`${path}/template`)).body;
    const agent = template.agents.find(({ key }: { key: string }) => key === urlKey);
    const agents = [{ ...agent, adapterConfig: { ...agent.adapterConfig, env } }];
    return (await api.post(`${path}/apply-template`, { template: { ...template, agents } })).status;
  };
  const first = await read();
  expect(await declare({ API_URL: elsewhere })).toBe(200);
  expect((await read()).env).toEqual({ API_URL: elsewhere });
  await api.patch(`/api/agents/${id}`, { adapterConfig: first });
  expect(await declare({ API_URL: elsewhere, KEY: { secret: secretKey } })).toBe(200);
  expect((await read()).env).toMatchObject({ API_URL: elsewhere, KEY: { secretId } });
});

it("A vault whose address is changed gets no value that is stored elsewhere", async () => {
  const path = `/api/companies/${companyId}/secret-provider-configs`;
  const vault = await api.make(path, {
    provider: "external_vault",
    displayName: aName(),
    config: { address: "https://one.example.com" },
  });
  const keep = () =>
    api.post(`/api/companies/${companyId}/secrets`, {
      name: aName(),
      value: "v",
      provider: "external_vault",
      providerConfigId: vault.id,
    });
  expect((await keep()).status).toBe(422);
  const at = `/api/secret-provider-configs/${vault.id}`;
  expect((await api.patch(at, { config: { address: "https://two.example.com" } })).status).toBe(200);
  expect((await keep()).status).toBe(422);
  // With a credential of its own it would be a way.
  const refused = await api.patch(at, { config: { address: "https://two.example.com", token: "t" } });
  expect(refused.status).toBe(400);
});

/** Of endpoints with a field that could hold an address: why they lead no stored secret to another host. */
const others: Readonly<Record<string, string>> = {
  "agents.create": "the request names each secret that the agent gets",
  "approvals.create": "the request names each secret that the agent gets",
  "approvals.hire": "the request names each secret that the agent gets",
  "companies.applyTemplate": "the test above",
  "companies.importTemplate": "the new company has the secrets that the request brings",
  "adapters.testEnvironment": "the request names each secret of the configuration that is tried",
  "mcpServers.create": "the request names each secret that the server gets",
  "repositories.create": "the request names the credential",
  "issues.setGates": "commands at a commit get no variables",
  "projects.setGates": "commands at a commit get no variables",
  "interactions.create": "a card sends nothing",
  "session.setEmail": "notices hold no secret",
  "session.setChat": "notices hold no secret",
  "pushSubscriptions.save": "notices hold no secret",
  "eventSubscriptions.create": "the service makes the secret that signs",
  "routines.run": "a text for the agent",
  "secrets.create": "the value of the request goes to the vault that it names",
  "secrets.import": "references to values that a vault has",
  "vaults.create": "a new vault has no secrets",
  "vaults.update": "the test above",
};

/** The names of fields at any depth. */
const namesIn = (schema: unknown): readonly string[] => {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { readonly properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesIn)];
};

const mayLead =
  /url|address|host|endpoint|adapterConfig|^config$|^args$|^command$|template|^payload$|^env$|^headers$|externalRef/i;

it("Each endpoint that takes an address is one of these ways, or leads no stored secret", () => {
  const taking = endpoints.flatMap(({ name, endpoint }) =>
    endpoint.method === "GET" || endpoint.body === null
      ? []
      : namesIn(z.toJSONSchema(endpoint.body, { unrepresentable: "any", io: "input" })).some((field) =>
            mayLead.test(field),
          )
        ? [name]
        : [],
  );
  const accounted = new Set([...ways.map(({ by }) => by), ...Object.keys(others)]);
  expect(taking.filter((name) => !accounted.has(name))).toEqual([]);
  expect(Object.keys(others).filter((name) => !taking.includes(name))).toEqual([]);
});
