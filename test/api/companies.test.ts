import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { outcomeOf, type RawAnswer } from "../support/service.ts";

let api: ApiService;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

const at = (id: string, tail = "") => `/api/companies/${id}${tail}`;
const statusOf = async (id: string) => (await api.get(at(id))).body.status;

describe("A company", () => {
  it("is created active, and its creator owns it", async () => {
    const { status, body } = await api.post("/api/companies", { name: "Acme", description: "Makes it" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: "Acme",
      description: "Makes it",
      status: "active",
      issuePrefix: "ACM",
      budgetMonthlyCents: 0,
      spentMonthlyCents: 0,
      logoAssetId: null,
      logoUrl: null,
    });
    const me = (await api.get("/api/session")).body;
    expect((await api.get(at(body.id, "/members"))).body).toMatchObject([
      { userId: me.userId, role: "owner" },
    ]);
    expect(body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("is changed field by field", async () => {
    const { id, createdAt } = await api.company();
    const changed = (await api.patch(at(id), { name: "New", budgetMonthlyCents: 500 })).body;
    expect(changed).toMatchObject({ name: "New", budgetMonthlyCents: 500, createdAt });
    expect((await api.patch(at(id), { description: "d" })).body.name).toBe("New");
    expect((await api.patch(at(id), { description: null })).body.description).toBeNull();
    expect((await api.patch(at(id), {})).body.updatedAt).toBe((await api.get(at(id))).body.updatedAt);
  });

  it("has house rules in revisions, each made of the current one", async () => {
    const { id } = await api.company();
    const rules = at(id, "/house-rules");
    expect((await api.get(rules)).body).toMatchObject({ revisionNumber: 0, body: "", createdAt: null });
    const put = (body: string, baseRevisionNumber: number) => api.put(rules, { body, baseRevisionNumber });
    expect((await put("One.", 0)).body).toMatchObject({ revisionNumber: 1, body: "One." });
    expect(outcomeOf(await put("Two.", 0))).toBe("409 house_rules_stale");
    const [won, lost] = (await Promise.all([put("Two.", 1), put("Three.", 1)])).map(outcomeOf).sort();
    expect([won, lost]).toEqual(["200", "409 house_rules_stale"]);
    const { body } = (await api.get(rules)).body;
    expect((await put(body, 2)).body).toMatchObject({ revisionNumber: 2 });
    expect((await put("", 2)).body).toMatchObject({ revisionNumber: 3, body: "" });
    const { body: all } = await api.get(`${rules}/revisions`);
    expect(all.map(({ revisionNumber }: { revisionNumber: number }) => revisionNumber)).toEqual([3, 2, 1]);
    expect(outcomeOf(await put("x".repeat(32_001), 3))).toBe("400 validation_error");
  });

  it.each([
    ["pause", ["pause"], "paused"],
    ["resume", ["pause", "resume"], "active"],
    ["archive", ["archive"], "archived"],
    ["archive a paused one", ["pause", "archive"], "archived"],
    ["bring back", ["archive", "resume"], "active"],
    ["say a thing twice", ["pause", "pause"], "paused"],
    ["resume an active one", ["resume"], "active"],
  ])("changes status: %s", async (_, steps, status) => {
    const { id } = await api.company();
    for (const step of steps) expect(outcomeOf(await api.post(at(id, `/${step}`)))).toBe("200");
    expect(await statusOf(id)).toBe(status);
  });

  it("accepts only resume once it is archived, and can still be read", async () => {
    const { id } = await api.company();
    const agent = await api.agent(id);
    const key = await api.make(`/api/agents/${agent.id}/keys`);
    const issue = await api.issue(id);
    const { id: routine } = await api.make(at(id, "/routines"), {
      title: "R",
      assigneeAgentId: agent.id,
      projectId: (await api.make(at(id, "/projects"), { name: "P" })).id,
    });
    const hook = await api.make(`/api/routines/${routine}/triggers`, { kind: "webhook" });
    await api.make(at(id, "/archive"));
    const fire = () =>
      api.request("POST", `/api/routine-triggers/public/${hook.publicId}/fire`, {
        token: hook.secret,
        text: "{}",
      });
    const writes: readonly (() => Promise<RawAnswer>)[] = [
      () => api.post(at(id, "/issues"), { title: "T" }),
      () => api.patch(at(id), { name: "N" }),
      () => api.post(at(id, "/pause")),
      () => api.patch(`/api/issues/${issue.id}`, { title: "N" }),
      () => api.post(`/api/issues/${issue.id}/comments`, { body: "c" }, { token: key.token }),
      () => api.post(`/api/agents/${agent.id}/keys`),
      () => api.request("DELETE", `/api/issues/${issue.id}/documents/plan`),
      fire,
    ];
    for (const write of writes) expect(outcomeOf(await write())).toBe("409 company_archived");
    const viewer = await api.user(null);
    expect(outcomeOf(await api.patch(at(id), { name: "N" }, viewer))).toBe("403 forbidden");
    expect(outcomeOf(await api.get(`/api/issues/${issue.id}`))).toBe("200");
    expect(await statusOf(id)).toBe("archived");
    expect(outcomeOf(await api.post(at(id, "/resume")))).toBe("200");
    expect(outcomeOf(await api.post(at(id, "/issues"), { title: "T" }))).toBe("201");
  });

  it("is visible to its own agents, as the only one", async () => {
    await api.company("Other");
    const { id } = await api.company("Own");
    const agent = await api.agent(id);
    const { token } = await api.make(`/api/agents/${agent.id}/keys`);
    const seen = async (query = "") =>
      (await api.get(`/api/companies${query}`, { token })).body.map((each: { id: string }) => each.id);
    expect(await seen()).toEqual([id]);
    await api.make(at(id, "/archive"));
    expect(await seen()).toEqual([]);
    expect(await seen("?status=archived")).toEqual([id]);
  });

  it("is listed by name, archived ones only on request", async () => {
    const user = await api.user(null);
    const make = async (name: string, ...steps: string[]) => {
      const { id } = await api.company(name);
      await api.put(at(id, `/members/${user.id}`), { role: "viewer" });
      for (const step of steps) await api.make(at(id, `/${step}`));
    };
    await make("c archived", "archive");
    await make("b paused", "pause");
    await make("a active");
    const names = async (query: string) =>
      (await api.get(`/api/companies${query}`, user)).body.map(({ name }: { name: string }) => name);
    expect(await names("")).toEqual(["a active", "b paused"]);
    expect(await names("?status=archived")).toEqual(["c archived"]);
    expect(await names("?status=active,paused,archived")).toEqual(["a active", "b paused", "c archived"]);
    expect(outcomeOf(await api.get("/api/companies?status=closed"))).toBe("400 validation_error");
  });

  it.each([
    ["pause", "409 company_not_active", { reason: "company_not_active" }],
    ["archive", "409 company_archived", undefined],
  ])("that is stopped (%s) stops its agents, and continues when resumed", async (step, code, details) => {
    const { id } = await api.company();
    const agent = await api.agent(id);
    const issue = await api.issue(id, { assigneeAgentId: agent.id });
    const [run] = (await api.get(`/api/issues/${issue.id}/runs`)).body;
    await api.make(at(id, `/${step}`));
    expect((await api.get(`/api/heartbeat-runs/${run.id}`)).body.status).toBe("cancelled");
    const refused = await api.post(`/api/agents/${agent.id}/heartbeat/invoke`);
    expect([outcomeOf(refused), refused.body.details]).toEqual([code, details]);
    await api.make(at(id, "/resume"));
    const [next] = (await api.get(`/api/issues/${issue.id}/runs`)).body;
    expect(next).toMatchObject({ status: "queued", wakeReason: "agent_resumed" });
  });

  it("logs every action on it", async () => {
    const { id } = await api.company();
    await api.patch(at(id), { name: "Renamed" });
    for (const step of ["pause", "resume", "archive"]) await api.make(at(id, `/${step}`));
    const entries = (await api.get(at(id, "/activity?entityType=company"))).body;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      "company.archived",
      "company.resumed",
      "company.paused",
      "company.updated",
      "company.created",
    ]);
    const first = await api.get(at(id, "/activity?limit=2"));
    const cursor = first.headers.get("x-next-cursor");
    const second = await api.get(at(id, `/activity?limit=2&cursor=${cursor}`));
    expect([...first.body, ...second.body]).toEqual(entries.slice(0, 4));
  });
});
