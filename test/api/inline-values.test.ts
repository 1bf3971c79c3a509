import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { examine } from "../../hosts/cli/doctor/doctor.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import type { RawAnswer } from "../support/service.ts";

const values = {
  created: "inline-value-created-71",
  patched: "inline-value-patched-72",
  hired: "inline-value-hired-73",
  asked: "inline-value-asked-74",
  again: "inline-value-again-75",
};

let api: ApiService;
const answers: { what: string; text: string }[] = [];
const seen = (what: string, answer: RawAnswer): RawAnswer => {
  answers.push({ what, text: JSON.stringify([answer.body, [...answer.headers]]) });
  return answer;
};
const post = async (path: string, body: unknown, more: object = {}) =>
  seen(`POST ${path}`, await api.post(path, body, more));
const get = async (path: string) => seen(`GET ${path}`, await api.get(path));

const config = (value: string) => ({
  command: "true",
  env: { PLAIN: value, API_TOKEN: { type: "plain", value } },
});

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

it("plain values stand in answers that show an agent's configuration, and in no others", async () => {
  const { id: companyId } = await api.company();
  const inCompany = `/api/companies/${companyId}`;
  const made = await post(
    `${inCompany}/agents`,
    { name: "Ada", adapterType: "process", adapterConfig: config(values.created) },
    { headers: { "idempotency-key": "inline" } },
  );
  expect(made.status).toBe(201);
  expect(made.body.adapterConfig.env).toEqual(config(values.created).env);
  const again = await post(
    `${inCompany}/agents`,
    { name: "Ada", adapterType: "process", adapterConfig: config(values.created) },
    { headers: { "idempotency-key": "inline" } },
  );
  expect(again.body.id).toBe(made.body.id);
  const agent = made.body.id;
  seen("PATCH", await api.patch(`/api/agents/${agent}`, { adapterConfig: config(values.patched) }));
  const revisions = await get(`/api/agents/${agent}/config-revisions`);
  expect(revisions.body.length).toBeGreaterThan(0);
  await post(`/api/agents/${agent}/config-revisions/${revisions.body[0].id}/rollback`, {});

  // A refusal does not repeat the refused value.
  for (const adapterConfig of [
    { env: { PLAIN: [values.patched] } },
    { env: { "not a name": values.patched } },
    { env: { PLAIN: { type: "secret_ref", secretId: values.patched } } },
    { env: { PLAIN: { type: "plain", value: values.patched, more: values.patched } } },
  ])
    seen("refused", await api.patch(`/api/agents/${agent}`, { adapterConfig }));

  const hire = await post(`${inCompany}/agent-hires`, {
    name: "Bob",
    role: "engineer",
    adapterType: "process",
    adapterConfig: config(values.hired),
  });
  expect(hire.status).toBe(201);
  const asked = await post(`${inCompany}/approvals`, {
    type: "hire_agent",
    payload: { name: "Cid", role: "engineer", adapterType: "process", adapterConfig: config(values.asked) },
  });
  expect(asked.status).toBe(201);
  await post(`/api/approvals/${asked.body.id}/request-revision`, { decisionNote: "cheaper" });
  const resubmitted = await post(`/api/approvals/${asked.body.id}/resubmit`, {
    payload: { name: "Cid", role: "engineer", adapterType: "process", adapterConfig: config(values.again) },
  });
  expect(resubmitted.status).toBe(200);
  expect(resubmitted.body.payload.adapterConfig.env).toEqual(config(values.again).env);
  await get(`/api/approvals/${asked.body.id}/authority`);
  expect((await post(`/api/approvals/${asked.body.id}/approve`, { decisionNote: "yes" })).status).toBe(200);
  const pending = (await get(`${inCompany}/approvals?status=pending`)).body[0].id;
  await post(`/api/approvals/${pending}/reject`, { decisionNote: "no" });

  const all = (await get(`${inCompany}/agents`)).body as { id: string }[];
  for (const { id } of all) {
    await get(`/api/agents/${id}`);
    await get(`/api/agents/${id}/config-revisions`);
  }
  const { as } = await api.atWork(agent);
  seen("me", await api.get("/api/agents/me", as));
  seen("colleagues", await api.get(`${inCompany}/agents`, as));
  for (const path of [
    `${inCompany}/org`,
    `${inCompany}/approvals`,
    `/api/approvals/${asked.body.id}`,
    `${inCompany}/activity?limit=500`,
    `${inCompany}/heartbeat-runs`,
    "/api/openapi.json",
    "/api/health",
  ])
    await get(path);

  // An approval of a hire shows the configuration that it asks for.
  const showsAgents = /\/agents\b|\/agent-hires$|\/approvals|^(PATCH|me|colleagues)$/;
  for (const { what, text } of answers.filter(({ what }) => !showsAgents.test(what)))
    for (const value of Object.values(values)) expect([what, text.includes(value)]).toEqual([what, false]);
  // The values are stored only where programs need them for their environment.
  const tables = await api.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
  `;
  const holding: string[] = [];
  for (const { name } of tables) {
    const rows = await api.sql.unsafe(`select t::text as row from "${name}" t`);
    if (rows.some(({ row }) => Object.values(values).some((value) => String(row).includes(value))))
      holding.push(name);
  }
  expect(holding.sort()).toEqual(["agent_config_revisions", "agents", "approval_rounds", "approvals"]);
});

it("the doctor names settings that seem to hold secrets, without values", async () => {
  const { id: companyId } = await api.company("Open House");
  const { id: secretId } = await api.make(`/api/companies/${companyId}/secrets`, {
    name: "good",
    value: "well-kept-value",
  });
  await api.agent(companyId, {
    name: "Eve",
    adapterConfig: {
      ...config(values.created),
      headers: {
        Authorization: `Bearer ${values.hired}`,
        "X-Api-Key": "{{env.GOOD_KEY}}",
        Accept: "text/plain",
      },
      env: { ...config(values.created).env, GOOD_KEY: { type: "secret_ref", secretId, version: "latest" } },
    },
  });
  const dataDir = await mkdtemp(join(tmpdir(), "boardroom-doctor-"));
  const checks = await examine({ url: api.url, token: api.token }, { SERVICE_DATA_DIR: dataDir, PATH: "" });
  const found = checks.find(({ check }) => check === "inline secrets");
  expect(found).toMatchObject({ level: "warn" });
  expect(found?.message).toContain(
    "env.API_TOKEN of Eve (Open House), headers.Authorization of Eve (Open House)",
  );
  for (const clean of ["PLAIN", "GOOD_KEY", "X-Api-Key"]) expect(found?.message).not.toContain(clean);
  expect(JSON.stringify(checks)).not.toContain("inline-value");
});
