import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOf, templateOf } from "../../adapters-infra/template-folder/template-files.ts";
import { type ApiService, startApi } from "../support/api-service.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any;

let api: ApiService;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

const templateOfCompany = async (companyId: string): Promise<Json> =>
  (await api.get(`/api/companies/${companyId}/template`)).body;
const apply = (companyId: string, template: Json, options: object = {}) =>
  api.post(`/api/companies/${companyId}/apply-template`, { template, ...options });
const imported = (template: Json, name = "Copy"): Promise<Json> =>
  api.make("/api/companies/import-template", { name, template });
const list = async (companyId: string, what: string): Promise<Json[]> =>
  (await api.get(`/api/companies/${companyId}/${what}`)).body;

const agent = (key: string, fields: object = {}) => ({
  key,
  name: key,
  adapterType: "process",
  adapterConfig: { command: "true" },
  ...fields,
});

/** A company with one record of every kind, which name each other. */
const small = {
  company: {
    description: "Makes things.",
    budgetMonthlyCents: 500,
    agentCausedRunLimit: 7,
    houseRules: "# Rules\n\nBe brief.\n",
  },
  labels: [{ name: "Bug", color: "#cc3300" }],
  agents: [
    agent("worker", { reportsTo: "boss", instructions: "Work.\n", runtimeConfig: { maxCostCents: 5 } }),
    agent("boss", { metadata: { floor: 3 }, skills: ["boardroom"] }),
  ],
  goals: [
    { key: "part", title: "Part", parent: "whole", owner: "worker" },
    { key: "whole", title: "Whole", level: "company", status: "active" },
  ],
  projects: [{ key: "site", name: "Site", lead: "boss", targetDate: "2027-01-31", budgetMonthlyCents: 100 }],
  routines: [
    {
      key: "sweep",
      title: "Sweep",
      description: "Daily.",
      assignee: "worker",
      project: "site",
      goal: "part",
      triggers: [
        { kind: "schedule", cronExpression: "0 8 * * *", timezone: "Europe/London" },
        { kind: "webhook", label: "In", signingMode: "hmac_sha256" },
      ],
    },
  ],
};

describe("A template of a company", () => {
  it("names its records by keys, and no ids", async () => {
    const { companyId } = await imported(small);
    const { template, omitted } = await templateOfCompany(companyId);
    expect(JSON.stringify(template)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    expect(omitted).toEqual([]);
    expect(template.agents.map(({ key, reportsTo }: Json) => [key, reportsTo])).toEqual([
      ["boss", null],
      ["worker", "boss"],
    ]);
    expect(template.routines[0]).toMatchObject({ assignee: "worker", project: "site", goal: "part" });
    expect(template.goals).toContainEqual(
      expect.objectContaining({ key: "part", parent: "whole", owner: "worker" }),
    );
  });

  it("carries the house rules, each change as a revision, and null removes them", async () => {
    const { companyId } = await imported(small);
    const rules = async () => (await api.get(`/api/companies/${companyId}/house-rules`)).body;
    expect(await rules()).toMatchObject({ revisionNumber: 1, body: small.company.houseRules });
    const set = (houseRules: string | null) => apply(companyId, { company: { houseRules } });
    expect((await set(small.company.houseRules)).body.changes).toEqual([]);
    expect((await set("Be kind.")).body.changes).toEqual([
      {
        kind: "company",
        key: "company",
        action: "update",
        fields: [{ field: "houseRules", before: small.company.houseRules, after: "Be kind." }],
      },
    ]);
    expect(await rules()).toMatchObject({ revisionNumber: 2, body: "Be kind." });
    await set(null);
    expect(await rules()).toMatchObject({ revisionNumber: 3, body: "" });
    expect((await templateOfCompany(companyId)).template.company.houseRules).toBeNull();
    expect((await set(null)).body.changes).toEqual([]);
  });

  it("has no value of a secret, whatever holds it", async () => {
    const { id } = await api.company();
    const secret = await api.make(`/api/companies/${id}/secrets`, {
      name: "Mail key",
      value: "s3cr3t-of-the-mail",
    });
    await api.agent(id, {
      name: "Holder",
      adapterConfig: {
        command: "true",
        apiToken: "hidden-setting",
        headers: { Authorization: "hidden-header", Accept: "text/plain" },
        args: ["--with", "ghp_hiddenargument"],
        env: {
          MODE: "careful",
          DB: "postgres://me:hidden-password@db/x",
          SERVICE_PASSWORD: "hidden-variable",
          MAIL: { type: "secret_ref", secretId: secret.id, version: "latest" },
        },
      },
    });
    const { template, omitted } = await templateOfCompany(id);
    expect(JSON.stringify(template)).not.toMatch(/hidden|s3cr3t/);
    expect(template.agents[0].adapterConfig).toEqual({
      command: "true",
      headers: { Accept: "text/plain" },
      env: {
        MODE: "careful",
        DB: { secret: "db" },
        SERVICE_PASSWORD: { secret: "service_password" },
        MAIL: { secret: "mail-key" },
      },
    });
    expect(omitted.toSorted()).toEqual([
      "agents.holder.adapterConfig.apiToken",
      "agents.holder.adapterConfig.args",
      "agents.holder.adapterConfig.headers.Authorization",
    ]);
    // Applying it takes away nothing that it does not show.
    const changed = structuredClone(template);
    changed.agents[0].adapterConfig.env.MODE = "bold";
    expect((await apply(id, changed)).body.changes).toMatchObject([{ key: "holder", action: "update" }]);
    const [{ id: agentId }] = await list(id, "agents");
    const { adapterConfig } = (await api.get(`/api/agents/${agentId}`)).body;
    expect(adapterConfig).toMatchObject({
      apiToken: "hidden-setting",
      headers: { Authorization: "hidden-header", Accept: "text/plain" },
      env: { MODE: "bold", SERVICE_PASSWORD: "hidden-variable", MAIL: { type: "secret_ref" } },
    });
  });
});

describe("Applying a template", () => {
  it("changes nothing where nothing differs, and writes nothing", async () => {
    const { companyId } = await imported(small);
    const { template } = await templateOfCompany(companyId);
    const acts = () => api.sql`select count(*)::int as n from activity where company_id = ${companyId}`;
    const before = await acts();
    for (const options of [{ dryRun: true }, {}, { prune: true }])
      expect((await apply(companyId, template, options)).body).toMatchObject({ changes: [], refused: null });
    expect(await acts()).toEqual(before);
  });

  it("shows a difference without making it, then makes only that", async () => {
    const { companyId } = await imported(small);
    const { template } = await templateOfCompany(companyId);
    template.agents[1].instructions = "Work well.";
    template.routines[0].triggers[0].cronExpression = "0 9 * * *";
    template.goals = [...template.goals, { key: "more", title: "More", parent: "whole" }];
    const planned = (await apply(companyId, template, { dryRun: true })).body;
    expect(planned.changes.map(({ kind, key, action }: Json) => [kind, key, action])).toEqual([
      ["agent", "worker", "update"],
      ["goal", "more", "create"],
      ["routine", "sweep", "update"],
    ]);
    expect(planned.changes[0].fields).toEqual([
      { field: "instructions", before: "Work.\n", after: "Work well." },
    ]);
    expect((await templateOfCompany(companyId)).template.goals).toHaveLength(2);
    expect((await apply(companyId, template)).body.changes).toEqual(planned.changes);
    expect((await apply(companyId, template)).body.changes).toEqual([]);
    const [worker] = (await list(companyId, "agents")).filter(({ name }) => name === "worker");
    const revisions = (await api.get(`/api/agents/${worker.id}/config-revisions`)).body;
    expect(revisions.map(({ changedKeys }: Json) => changedKeys)).toEqual([["adapterConfig"], []]);
  });

  it("removes only with prune, and only records of lists that are declared", async () => {
    const { companyId } = await imported(small);
    const declared = { agents: [agent("boss")], routines: [] };
    expect((await apply(companyId, { ...declared, agents: undefined })).body.changes).toEqual([]);
    const pruned = (await apply(companyId, { ...declared, projects: [] }, { prune: true })).body;
    expect(pruned.changes.map(({ kind, key, action }: Json) => `${action} ${kind} ${key}`)).toEqual([
      "remove agent worker",
      "remove project site",
      "remove routine sweep",
    ]);
    const { template } = await templateOfCompany(companyId);
    expect(
      [template.agents, template.projects, template.routines, template.labels].map((each) => each.length),
    ).toEqual([1, 0, 0, 1]);
    expect((await list(companyId, "agents")).map(({ name, status }) => [name, status])).toContainEqual([
      "worker",
      "terminated",
    ]);
  });

  it("turns the organisation round without a circle on the way", async () => {
    const { companyId } = await imported({
      agents: [agent("a"), agent("b", { reportsTo: "a" }), agent("c", { reportsTo: "b" })],
    });
    const turned = {
      agents: [
        agent("a", { reportsTo: "b" }),
        agent("b", { reportsTo: "c" }),
        agent("c", { reportsTo: null }),
      ],
    };
    expect((await apply(companyId, turned)).status).toBe(200);
    expect((await apply(companyId, turned, { dryRun: true })).body.changes).toEqual([]);
  });

  it("keeps records of one name apart, whichever is above the other", async () => {
    const goal = (n: string, parent: string | null) => ({
      key: `ada${n}`,
      title: "Ada",
      description: n,
      parent,
    });
    const declared = { goals: [goal("", "ada-3"), goal("-2", null), goal("-3", "ada-2")] };
    const { companyId } = await imported(declared);
    expect((await apply(companyId, declared, { prune: true })).body.changes).toEqual([]);
  });

  it("binds a secret as soon as there is one of that key", async () => {
    const declared = {
      agents: [agent("mailer", { adapterConfig: { command: "true", env: { KEY: { secret: "mail" } } } })],
    };
    const { companyId, wanted } = await imported(declared);
    expect(wanted).toEqual({ adapters: [], runners: [], secrets: ["mail"], skills: [] });
    expect((await apply(companyId, declared)).body).toMatchObject({
      changes: [],
      wanted: { secrets: ["mail"] },
    });
    await api.make(`/api/companies/${companyId}/secrets`, { name: "Mail", value: "a value of some length" });
    const { changes, wanted: then } = (await apply(companyId, declared)).body;
    expect([changes.length, then.secrets]).toEqual([1, []]);
    expect((await apply(companyId, declared)).body.changes).toEqual([]);
  });

  it.each([
    ["a key that does not fit its name", { agents: [agent("boss", { name: "Other" })] }, "template_invalid"],
    ["the same key twice", { agents: [agent("boss"), agent("boss")] }, "template_invalid"],
    ["a reference to nobody", { agents: [agent("boss", { reportsTo: "ghost" })] }, "reference_not_found"],
    [
      "a circle",
      { agents: [agent("a", { reportsTo: "b" }), agent("b", { reportsTo: "a" })] },
      "would_form_a_cycle",
    ],
    [
      "an adapter that is not there",
      { agents: [agent("boss", { adapterType: "nothing" })] },
      "adapter_unknown",
    ],
    [
      "settings that the adapter refuses",
      { agents: [agent("boss", { adapterConfig: { command: 7 } })] },
      "adapter_config_invalid",
    ],
    [
      "a schedule that never was",
      {
        ...small,
        routines: [{ ...small.routines[0], triggers: [{ kind: "schedule", cronExpression: "whenever" }] }],
      },
      "cron_invalid",
    ],
    [
      "a field that does not exist",
      { agents: [agent("boss", { heldManuallyAt: null })] },
      "validation_error",
    ],
    [
      "instructions in two places",
      { agents: [agent("boss", { adapterConfig: { command: "true", instructions: "x" } })] },
      "validation_error",
    ],
    ["an id in place of a key", { agents: [agent("boss", { reportsTo: "0193A0F0" })] }, "validation_error"],
  ])("refuses %s, and nothing is written", async (_, template, code) => {
    const { id } = await api.company();
    const companies = async () => (await api.sql`select count(*)::int as n from companies`)[0]!.n;
    const before = await companies();
    const labels = [{ name: "first" }];
    for (const [path, body] of [
      [`/api/companies/${id}/apply-template`, { template: { ...template, labels } }],
      ["/api/companies/import-template", { name: "Never", template: { ...template, labels } }],
    ] as const) {
      const { status, body: answer } = await api.post(path, body);
      expect([answer.code, status < 500]).toEqual([code, true]);
    }
    expect([await companies(), await list(id, "labels"), await list(id, "agents")]).toEqual([before, [], []]);
  });

  it("says in a dry run why it would be refused, and which record that is about", async () => {
    const { id } = await api.company();
    const { body } = await apply(
      id,
      { agents: [agent("boss", { adapterType: "nothing" })] },
      { dryRun: true },
    );
    expect(body).toMatchObject({
      changes: [{ kind: "agent", key: "boss", action: "create" }],
      wanted: { adapters: ["nothing"] },
      refused: { code: "adapter_unknown", error: expect.stringMatching(/^agents\.boss: /) },
    });
    await api.agent(id, { name: "Bo ss" });
    const duplicateName = await apply(
      id,
      { agents: [agent("bo-ss-2", { name: "bo-ss" })] },
      { dryRun: true },
    );
    expect(duplicateName.body.refused.code).toBe("agent_name_taken");
  });

  it("shows no agent a path of the machine, unless an instance admin applies it", async () => {
    const { id } = await api.company();
    const owner = await api.user(id, "owner");
    const template = { agents: [agent("boss", { adapterConfig: { command: "true", cwd: "/srv" } })] };
    const { status, body } = await api.post(
      `/api/companies/${id}/apply-template`,
      { template },
      { token: owner.token },
    );
    expect([status, body.code, body.details.path]).toEqual([
      422,
      "path_not_allowed",
      ["agents", "boss", "adapterConfig", "cwd"],
    ]);
    expect((await apply(id, template)).status).toBe(200);
  });
});

describe("An imported company", () => {
  it("is paused, and starts when it is resumed", async () => {
    const { companyId } = await imported(small, "Paused");
    const company = (await api.get(`/api/companies/${companyId}`)).body;
    const { houseRules, ...fields } = small.company;
    expect(company).toMatchObject({
      name: "Paused",
      status: "paused",
      pauseReason: "manual",
      ...fields,
    });
    const { status } = await api.post(`/api/companies/${companyId}/resume`);
    expect(status).toBe(200);
  });

  it("is made once for an Idempotency-Key", async () => {
    const body = { name: "Once", template: {} };
    const headers = { "Idempotency-Key": "import-once" };
    const first = await api.post("/api/companies/import-template", body, { headers });
    expect((await api.post("/api/companies/import-template", body, { headers })).body).toEqual(first.body);
  });

  it("is not made by a dry run", async () => {
    const { body } = await api.post("/api/companies/import-template", {
      name: "Ghost",
      template: small,
      dryRun: true,
    });
    expect(body).toMatchObject({ companyId: null, refused: null });
    expect(body.changes).toHaveLength(8);
    expect(
      (await api.get("/api/companies?status=active,paused")).body.map(({ name }: Json) => name),
    ).not.toContain("Ghost");
  });

  it("has each template of the package, and nothing differs afterwards", async () => {
    const shipped = (await api.get("/api/company-templates")).body;
    expect(shipped.map(({ key }: Json) => key)).toEqual(["content-desk", "software-team", "support-desk"]);
    for (const { key, template } of shipped) {
      const { companyId, wanted } = await imported(template, key);
      expect([key, wanted]).toEqual([key, { adapters: [], runners: [], secrets: [], skills: [] }]);
      expect((await apply(companyId, template, { prune: true })).body.changes).toEqual([]);
      for (const { instructions } of template.agents) expect(instructions.length).toBeGreaterThan(800);
    }
  });
});

const text = fc.string({
  unit: fc.constantFrom("a", "B", " ", "\n", "---\n", "é", "#", ":", '"', "- ", "\r\n", "{{x}}"),
  maxLength: 12,
});
const named = fc.array(fc.constantFrom("Ada", "ada!", "Grace Hopper", "日本", "A-2", "a"), { maxLength: 5 });

/** Bodies of requests that make the records of a company; names are often the same. */
const companies = fc.record({
  agents: fc.uniqueArray(fc.constantFrom("Ada", "Grace Hopper", "日本", "A-2", "a"), { maxLength: 4 }),
  goals: named,
  projects: named,
  texts: fc.array(text, { minLength: 4, maxLength: 4 }),
  parents: fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }),
});

describe("A company and its folder", () => {
  it("are the same, field by field, whatever its records are called", async () => {
    await fc.assert(
      fc.asyncProperty(companies, async ({ agents, goals, projects, texts, parents }) => {
        const { id } = await api.company();
        const agentIds: string[] = [];
        for (const [n, name] of agents.entries())
          agentIds.push(
            (
              await api.agent(id, {
                name,
                title: n === 1 ? "T: - #" : null,
                reportsTo: n === 0 ? null : agentIds[parents[n]! % n],
                adapterConfig: {
                  command: "true",
                  instructions: texts[n % 4],
                  nested: { list: [1, "2"], deep: { no: false } },
                },
              })
            ).id,
          );
        const goalIds: string[] = [];
        for (const [n, title] of goals.entries())
          goalIds.push(
            (
              await api.make(`/api/companies/${id}/goals`, {
                title,
                description: texts[(n + 1) % 4],
                ...(n === 0 ? {} : { parentId: goalIds[parents[n]! % n] }),
              })
            ).id,
          );
        for (const [n, name] of projects.entries())
          await api.make(`/api/companies/${id}/projects`, {
            name,
            description: n === 0 ? null : texts[n % 4],
          });
        const { template } = await templateOfCompany(id);
        const read = templateOf(filesOf(template));
        expect((await apply(id, read, { dryRun: true, prune: true })).body.changes).toEqual([]);
        const copy = await imported(read);
        const { company, ...records } = (await templateOfCompany(copy.companyId)).template;
        const byKey = (each: Json) =>
          Object.fromEntries(
            Object.entries<Json[]>(each).map(([kind, all]) => [
              kind,
              all.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
            ]),
          );
        const { company: ofFirst, ...first } = template;
        expect(byKey(records)).toEqual(byKey(first));
        expect({ ...company, name: "" }).toEqual({ ...ofFirst, name: "" });
      }),
      { numRuns: 8 },
    );
  });
});
