import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { externalAdapterCode, externalAdapterPackage, temporaryFolder } from "../support/external-adapter.ts";
import type { RawAnswer } from "../support/service.ts";

let api: ApiService;
let companyId: string;
const folder = temporaryFolder();
beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
});
afterAll(async () => {
  await api?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const agents = () => `/api/companies/${companyId}/agents`;
const hires = () => `/api/companies/${companyId}/agent-hires`;
const refused = (path: readonly (string | number)[], sentence: string) => ({
  status: 422,
  body: { code: "adapter_config_invalid", error: sentence, details: { path: ["adapterConfig", ...path] } },
});
const timeout = refused(["timeoutSec"], "adapterConfig.timeoutSec must be more than 0.");
const wrong = { command: "/bin/true", timeoutSec: 0 };

describe("A configuration that the adapter would refuse at the start of a run", () => {
  it("is refused when an agent is hired, by the board or on request", async () => {
    const agent = { name: "Zero", adapterType: "process", adapterConfig: wrong };
    expect(await api.post(agents(), agent)).toMatchObject(timeout);
    expect(await api.post(hires(), { role: "engineer", ...agent })).toMatchObject(timeout);
    const approval = { type: "hire_agent", payload: { role: "engineer", ...agent } };
    expect(await api.post(`/api/companies/${companyId}/approvals`, approval)).toMatchObject(timeout);
  });

  it.each<[string, object, readonly (string | number)[], string]>([
    ["process", { args: ["a", { b: 1 }] }, ["args", 1], "must be a text or a number."],
    ["http", { url: "ftp://files" }, ["url"], "is not valid: It begins with http"],
    ["http", { url: "https://a.example", headers: { a: 1 } }, ["headers", "a"], "must be a text."],
    ["adapter_a_local", { maxTurnsPerRun: 0 }, ["maxTurnsPerRun"], "must be at least 1."],
    ["adapter_b_local", { search: "yes" }, ["search"], "must be true or false."],
    ["adapter_c_local", { model: "large" }, ["model"], "is not valid: It has the form provider/model"],
  ])("is refused by %s when it is set: %j", async (adapterType, adapterConfig, path, problem) => {
    const answer = await api.post(agents(), { name: "Wrong", adapterType, adapterConfig });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: "adapter_config_invalid", details: { path: ["adapterConfig", ...path] } },
    });
    expect(answer.body.error).toContain(`adapterConfig.${path.join(".")} ${problem}`);
  });

  it("is refused when an agent is configured, changes nothing, and no longer as a revision to go back to", async () => {
    const { id } = await api.agent(companyId, { adapterConfig: { command: "/bin/true", timeoutSec: 60 } });
    expect(await api.patch(`/api/agents/${id}`, { adapterConfig: { timeoutSec: "none" } })).toMatchObject(
      refused(["timeoutSec"], "adapterConfig.timeoutSec must be a number."),
    );
    const { body } = await api.get(`/api/agents/${id}`);
    expect(body.adapterConfig).toEqual({ command: "/bin/true", timeoutSec: 60 });
    const [first] = (await api.get(`/api/agents/${id}/config-revisions`)).body;
    await api.sql`
      update agent_config_revisions
      set    after_config = jsonb_set(after_config, '{adapterConfig,timeoutSec}', '0')
      where  id = ${first.id}
    `;
    await api.patch(`/api/agents/${id}`, { title: "later" });
    expect(await api.post(`/api/agents/${id}/config-revisions/${first.id}/rollback`)).toMatchObject(timeout);
  });

  it("that an agent has already stays, and its other settings can be changed", async () => {
    const { id } = await api.agent(companyId);
    await api.sql`update agents set adapter_config = ${api.sql.json(wrong)} where id = ${id}`;
    const changed = await api.patch(`/api/agents/${id}`, { adapterConfig: { graceSec: 5 }, title: "kept" });
    expect(changed).toMatchObject({ status: 200, body: { adapterConfig: { ...wrong, graceSec: 5 } } });
    expect(await api.patch(`/api/agents/${id}`, { adapterConfig: { timeoutSec: -1 } })).toMatchObject(
      timeout,
    );
    expect(await api.patch(`/api/agents/${id}`, { adapterConfig: { timeoutSec: null } })).toMatchObject({
      status: 200,
    });
  });

  it("may be incomplete: an agent is configured step by step", async () => {
    const answer = await api.post(agents(), { name: "Bare", adapterType: "process", adapterConfig: {} });
    expect(answer.status).toBe(201);
  });
});

describe("The configSchema of an adapter", () => {
  const install = (type: string, configSchema: string): Promise<RawAnswer> =>
    api.post("/api/adapters", {
      localPath: externalAdapterPackage(
        folder,
        type,
        externalAdapterCode({ type, members: `configSchema: ${configSchema},` }),
      ),
    });

  it("is shown with the adapter", async () => {
    const { body } = await api.get("/api/adapters/process");
    expect(body.configSchema).toMatchObject({
      type: "object",
      properties: { command: { type: "string" }, timeoutSec: { exclusiveMinimum: 0, default: 300 } },
      required: ["command"],
    });
  });

  it("of an external adapter is checked too, without its expressions", async () => {
    const schema = `{ type: "object", properties: {
      depth: { type: "integer", maximum: 3, title: "Depth" }, word: { type: "string", pattern: "^(a+)+$" } }, madeUp: 1 }`;
    expect(await install("diver", schema)).toMatchObject({ status: 201 });
    expect((await api.get("/api/adapters/diver")).body.configSchema).toEqual({
      type: "object",
      properties: { depth: { type: "integer", maximum: 3, title: "Depth" }, word: { type: "string" } },
    });
    const agent = { name: "Diver", adapterType: "diver" };
    expect(await api.post(agents(), { ...agent, adapterConfig: { depth: 4 } })).toMatchObject(
      refused(["depth"], "adapterConfig.depth must be at most 3."),
    );
    const adapterConfig = { depth: 3, word: `${"a".repeat(50)}!`, other: {} };
    expect((await api.post(agents(), { ...agent, adapterConfig })).status).toBe(201);
  });

  it("that is none makes the package unusable, with a sentence", async () => {
    expect(await install("crooked", '{ type: "objekt" }')).toMatchObject({
      status: 422,
      body: { code: "adapter_not_installable", error: expect.stringContaining("configSchema.type") },
    });
  });
});
