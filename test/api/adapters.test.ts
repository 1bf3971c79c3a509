import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let companyId: string;

beforeAll(async () => {
  service = await startService();
  companyId = (await service.admin.companies.create({ name: "Lighthouse" })).id;
});
afterAll(() => service?.stop());

const get = (path: string) => service.request("GET", path);

describe("adapters", () => {
  it("are listed by type, those of the service as built in", async () => {
    const { status, body } = await get("/api/adapters");
    expect(status).toBe(200);
    expect(body.map(({ type }: { type: string }) => type)).toEqual([
      "acp",
      "adapter_a_local",
      "adapter_b_local",
      "adapter_c_local",
      "http",
      "process",
    ]);
    expect(body[5]).toMatchObject({ source: "builtin", hasUiParser: true, modelsCount: 0 });
  });

  it("are shown with the documentation of their configuration; an unknown one is 404", async () => {
    const { body } = await get("/api/adapters/adapter_b_local");
    expect(body).toMatchObject({ type: "adapter_b_local", discoversModels: true });
    expect(body.agentConfigurationDoc).toContain("modelReasoningEffort");
    expect(await get("/api/adapters/none")).toMatchObject({
      status: 404,
      body: { code: "adapter_not_found" },
    });
  });

  it("serve their UI parsers as scripts", async () => {
    const { status, headers, body } = await get("/api/adapters/adapter_c_local/ui-parser.js");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("application/javascript");
    expect(body).toContain("parseStdoutLine");
  });

  it("offer models: listed, discovered or none; an unknown type is refused", async () => {
    const models = (type: string) => get(`/api/companies/${companyId}/adapters/${type}/models`);
    expect((await models("adapter_a_local")).body).toContainEqual({ id: "opus", label: "Newest Opus" });
    expect((await models("process")).body).toEqual([]);
    expect(await models("none")).toMatchObject({ status: 422, body: { code: "adapter_unknown" } });
  });

  it("test an environment with a configuration, which is not stored", async () => {
    const test = (adapterConfig: object) =>
      service.request("POST", `/api/companies/${companyId}/adapters/process/test-environment`, {
        body: { adapterConfig },
      });
    expect((await test({ command: "true" })).body).toMatchObject({ adapterType: "process", status: "pass" });
    const missing = (await test({ command: "no-such-program" })).body;
    expect(missing.status).toBe("fail");
    expect(missing.checks).toContainEqual(
      expect.objectContaining({ level: "error", code: "process_command_unresolvable" }),
    );
    const bound = { A: { type: "secret_ref", secretId: "x", version: "latest" } };
    expect((await test({ command: "true", env: bound })).body.checks).toContainEqual(
      expect.objectContaining({ level: "info", code: "secret_not_tested" }),
    );
  });
});

describe("the transcript of a run", () => {
  it("has the entries of the adapter's parser, and for another program its lines", async () => {
    const { admin } = service;
    const script = "echo one; printf 'two '; sleep 0.2; echo halves; echo bad >&2";
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: "P",
      adapterType: "process",
      adapterConfig: { command: "sh", args: ["-c", script] },
    });
    const runId = (await admin.agents.invoke({ agentId })).id!;
    await eventually(
      () => admin.runs.get({ runId }),
      ({ status }) => status === "succeeded",
    );
    const { body } = await get(`/api/heartbeat-runs/${runId}/transcript`);
    expect(body).toMatchObject({ runId, parsed: true, complete: true });
    const lines = body.entries.map(({ kind, text }: { kind: string; text: string }) => `${kind}: ${text}`);
    expect(lines).toEqual(expect.arrayContaining(["stdout: one", "stdout: two halves", "stderr: bad"]));
  });
});
